// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadLayers
import PlayheadTextures
import PlayheadTime
import Testing

@Suite(
    "Colour spaces of targets", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ColorSpaceTests {
    private static func draw(
        _ scene: Scene, in space: ColorSpace, format: GLTextureFormat = .rgba16Float
    ) throws -> SIMD4<Float> {
        try GraphicsTest.withContext { context in
            let target = try GLFramebuffer(format: format, width: 8, height: 8, context: context)
            let report = VideoRenderer(context: context).render(
                scene, hostTime: .zero, into: RenderTarget(target, colorSpace: space))
            #expect(report.problems.isEmpty)
            return target.values()[8 * 4 + 4]
        }
    }

    private static func grey(
        _ level: Int, _ primaries: ColorAttachments.Primaries,
        _ transfer: ColorAttachments.Transfer
    ) -> PixelBuffer {
        PixelBuffer(
            format: .yuv420p10, width: 8, height: 8,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .bt2020NonConstantLuminance, range: .limited, primaries: primaries,
                    transfer: transfer))
        ) { plane, bytes, bytesPerRow in
            for offset in stride(from: 0, to: bytes.count, by: 2) {
                bytes.storeBytes(
                    of: plane == 0 ? UInt16(level) : 512, toByteOffset: offset, as: UInt16.self)
            }
        }
    }

    @Test func `colours and backgrounds are white at the white of standard range`() throws {
        let scenes = [
            Scene(layers: [Layer(.color([1, 1, 1, 1]))]), Scene(background: .color([1, 1, 1, 1])),
        ]
        for scene in scenes {
            #expect(abs(try Self.draw(scene, in: .pq).y - 0.5807) < 0.001)
            #expect(abs(try Self.draw(scene, in: .linear).y - 1) < 0.001)
            #expect(try Self.draw(scene, in: .bt709).y == 1)
        }
    }

    @Test func `PQ reaches a PQ target unchanged, and is tone mapped to a usual one`() throws {
        let picture = Self.grey(724, .bt2020, .pq)
        let scene = Scene(layers: [Layer(.image(picture))])
        #expect(abs(try Self.draw(scene, in: .pq).x - 0.7534) < 0.001)
        // 1014.8 candela per square metre: the peak of the video, so white.
        #expect(abs(try Self.draw(scene, in: .bt709).x - 1) < 0.001)
        #expect(abs(try Self.draw(scene, in: .linear).x - 1014.76 / 203) < 0.05)
    }

    @Test func `CPU and shader convert every colour space alike`() throws {
        for (primaries, transfer) in [
            (ColorAttachments.Primaries.bt709, ColorAttachments.Transfer.bt709),
            (.bt2020, .bt2020TenBit), (.bt2020, .pq), (.bt2020, .hlg), (.smpte170m, .bt601),
        ] {
            let scene = Scene(layers: [Layer(.image(Self.grey(500, primaries, transfer)))])
            let values = try [PictureConversion.gpu, .cpu].map { conversion in
                try GraphicsTest.withContext { context in
                    let target = try GLFramebuffer(width: 8, height: 8, context: context)
                    _ = VideoRenderer(context: context, conversion: conversion).render(
                        scene, hostTime: .zero, into: RenderTarget(target))
                    return target.image()[4, 4]
                }
            }
            for channel in 0..<3 {
                #expect(abs(Int(values[0][channel]) - Int(values[1][channel])) <= 1)
            }
        }
    }

    @Test func `effects and their results are converted to the target`() throws {
        let white = Scene(background: .checkerboard())
        let plain = try Self.draw(white, in: .bt709)
        let light = try Self.draw(white, in: .linear)
        #expect(abs(Double(plain.x).power(2.4) - Double(light.x)) < 0.01)
    }
}

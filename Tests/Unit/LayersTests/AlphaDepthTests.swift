// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

@Suite(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct AlphaDepthTests {
    /// Returns a white image of four planes with the same opacity everywhere.
    private static func picture(
        _ model: PixelFormat.Model, depth: Int, shift: Int, alpha: Double
    ) -> PixelBuffer {
        let size = depth + shift > 8 ? 2 : 1
        let format = PixelFormat(
            name: "alpha\(depth)", model: model,
            components: (0..<4).map {
                .init(plane: $0, step: size, offset: 0, shift: shift, depth: depth)
            }, hasAlpha: true)
        let most = Double((1 << depth) - 1)
        let color = ColorAttachments(matrix: model == .rgb ? .rgb : .bt709, range: .full)
        return PixelBuffer(
            format: format, width: 8, height: 6, attachments: PixelBufferAttachments(color: color)
        ) { plane, bytes, _ in
            let isChroma = model == .yCbCr && (plane == 1 || plane == 2)
            let code =
                plane == 3
                ? Int((alpha * most).rounded()) : isChroma ? 1 << (depth - 1) : Int(most)
            for offset in stride(from: 0, to: bytes.count - size + 1, by: size) {
                if size == 2 {
                    bytes.storeBytes(
                        of: UInt16(code << shift), toByteOffset: offset, as: UInt16.self)
                } else {
                    bytes[offset] = UInt8(code)
                }
            }
        }
    }

    /// ProRes 4444 has 10 and 12 bits of colour, and as many of alpha after decoding.
    @Test(arguments: [PixelFormat.Model.yCbCr, .rgb], PictureConversion.allCases)
    func `opacity is that of the video at every depth`(
        model: PixelFormat.Model, conversion: PictureConversion
    ) throws {
        for (depth, shift) in [
            (8, 0), (9, 0), (10, 0), (10, 6), (12, 0), (12, 4), (14, 0), (16, 0),
        ] {
            for alpha in [1, 0.5, 0] {
                let picture = Self.picture(model, depth: depth, shift: shift, alpha: alpha)
                let image = try GraphicsTest.withSharedContext { context in
                    let renderer = VideoRenderer(context: context, conversion: conversion)
                    let target = try GLFramebuffer(width: 8, height: 6, context: context)
                    let report = renderer.render(
                        Scene(layers: [Layer(.image(picture))]), hostTime: .zero,
                        into: RenderTarget(target))
                    #expect(report.problems.isEmpty)
                    return target.image()
                }
                for channel in 0..<3 {
                    // White over black equals its opacity.
                    #expect(
                        abs(Double(image[4, 3][channel]) - alpha * 255) <= 1,
                        "\(depth) bits above \(shift), \(alpha): \(image[4, 3])")
                }
            }
        }
    }
}

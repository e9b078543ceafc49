// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

@Suite(
    "CPU and GPU conversion", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct PictureConversionTests {
    /// Returns a frame of slow gradients, whose corners differ.
    private static func picture(
        _ attachments: PixelBufferAttachments = PixelBufferAttachments()
    ) -> PixelBuffer {
        let plain = TestPictures.yuv420p(width: 64, height: 36) { x, y in
            [Double(x) / 80 + 0.1, Double(y) / 50 + 0.2, 0.8 - Double(x + y) / 160]
        }
        return PixelBuffer(
            format: plain.format, width: plain.width, height: plain.height, planes: plain.planes,
            attachments: attachments, owner: plain)
    }

    private static func draw(
        _ scene: Scene, by conversion: PictureConversion, width: Int = 48, height: Int = 40,
        isTopRowFirst: Bool = false
    ) throws -> (RGBAImage, RenderReport) {
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context, conversion: conversion)
            let framebuffer = try GLFramebuffer(width: width, height: height, context: context)
            var target = RenderTarget(framebuffer)
            target.isTopRowFirst = isTopRowFirst
            let report = renderer.render(scene, hostTime: .zero, into: target)
            #expect(GLState.takeError() == nil)
            return (framebuffer.image(isBottomUp: !isTopRowFirst), report)
        }
    }

    private static func expectSame(
        _ scene: Scene, isTopRowFirst: Bool = false, _ what: String = ""
    ) throws {
        let (shader, _) = try draw(scene, by: .gpu, isTopRowFirst: isTopRowFirst)
        let (processor, report) = try draw(scene, by: .cpu, isTopRowFirst: isTopRowFirst)
        let worst = zip(shader.bytes, processor.bytes).map { abs(Int($0) - Int($1)) }.max()
        #expect(worst ?? 255 <= 1, "\(what)")
        #expect(report.problems.isEmpty)
    }

    @Test(arguments: [false, true])
    func `layers look alike by CPU and shader`(isTopRowFirst: Bool) throws {
        let picture = Self.picture()
        for gravity in LayerGravity.allCases {
            try Self.expectSame(
                Scene(layers: [Layer(.image(picture), gravity: gravity)]),
                isTopRowFirst: isTopRowFirst, "\(gravity)")
        }
        let frames: [LayerRect] = [
            LayerRect(x: 5, y: 9, width: 30, height: 20),
            // Beyond the target on two sides.
            LayerRect(x: -10, y: 20, width: 40, height: 40),
        ]
        for frame in frames {
            for opacity in [1, 0.4] {
                try Self.expectSame(
                    Scene(
                        background: .color([0.2, 0.5, 0.1, 1]),
                        layers: [
                            Layer(
                                .video(StillSource(picture)), frame: .pixels(frame),
                                contentsRect: LayerRect(x: 0.25, y: 0.5, width: 0.5, height: 0.4),
                                gravity: .resize, opacity: opacity)
                        ]), isTopRowFirst: isTopRowFirst, "\(frame), \(opacity)")
            }
        }
    }

    @Test func `orientations look alike by CPU and shader`() throws {
        for quarterTurns in 0..<4 {
            for isMirrored in [false, true] {
                let picture = Self.picture(
                    PixelBufferAttachments(
                        orientation: PictureOrientation(
                            quarterTurns: quarterTurns, isMirrored: isMirrored)))
                try Self.expectSame(
                    Scene(
                        layers: [
                            Layer(.image(picture)),
                            Layer(
                                .image(picture),
                                frame: .pixels(LayerRect(x: 3, y: 4, width: 20, height: 10)),
                                contentsRect: LayerRect(x: 0.1, y: 0.2, width: 0.3, height: 0.7),
                                opacity: 0.5),
                        ]), "\(quarterTurns) turns, mirrored: \(isMirrored)")
            }
        }
    }

    @Test(arguments: [
        ColorAttachments(
            matrix: .bt2020ConstantLuminance, primaries: .bt709, transfer: .bt709),
        ColorAttachments(matrix: .iCtCp, primaries: .bt709, transfer: .bt709),
        ColorAttachments(matrix: .iCtCp, primaries: .bt2020, transfer: .pq),
    ])
    func `videos that need more than a matrix look alike by CPU and shader`(color: ColorAttachments)
        throws
    {
        let picture = Self.picture(PixelBufferAttachments(color: color))
        try Self.expectSame(
            Scene(
                layers: [
                    Layer(.image(picture)),
                    Layer(
                        .video(StillSource(picture)),
                        frame: .pixels(LayerRect(x: 3, y: 4, width: 20, height: 10))),
                ]))
    }

    @Test(arguments: [
        ColorAttachments(matrix: .bt709, primaries: .bt2020, transfer: .pq),
        ColorAttachments(matrix: .bt709, primaries: .bt2020, transfer: .hlg),
        ColorAttachments(matrix: .bt709, primaries: .displayP3, transfer: .bt709),
    ])
    func `tone mapped videos look alike by CPU and shader, with effects too`(
        color: ColorAttachments
    ) throws {
        // Within the display's gamut, at whose edge two ways of rounding differ.
        let plain = TestPictures.yuv420p(width: 64, height: 36) { x, y in
            [Double(x) / 200 + 0.3, Double(y) / 300 + 0.35, 0.6 - Double(x + y) / 600]
        }
        let picture = PixelBuffer(
            format: plain.format, width: plain.width, height: plain.height, planes: plain.planes,
            attachments: PixelBufferAttachments(color: color), owner: plain)
        let vignette = EffectInstance(try EffectLibrary.effect(named: "vignette"))
        for effects in [[], [vignette]] {
            try Self.expectSame(
                Scene(layers: [Layer(.video(StillSource(picture)), effects: effects)]),
                "\(color.transfer), \(effects.count) effects")
        }
    }

    @Test func `targets of more than 8 bits get the full depth`() throws {
        let scene = Scene(layers: [Layer(.image(Self.picture()))])
        let (shader, processor) = try GraphicsTest.withContext { context in
            func values(_ conversion: PictureConversion) throws -> [SIMD4<Float>] {
                let framebuffer = try GLFramebuffer(
                    format: .rgba32Float, width: 48, height: 40, context: context)
                let renderer = VideoRenderer(context: context, conversion: conversion)
                let report = renderer.render(
                    scene, hostTime: .zero, into: RenderTarget(framebuffer))
                #expect(report.problems.isEmpty)
                return framebuffer.values()
            }
            return (try values(.gpu), try values(.cpu))
        }
        #expect(shader == processor)
    }

    @Test func `effects get the same input by CPU and shader`() throws {
        let negative = try ISFImporter.effect(
            text: """
                /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
                void main() {
                    gl_FragColor = vec4(1.0 - IMG_THIS_PIXEL(inputImage).rgb, 1.0);
                }
                """, path: "negative.fs")
        for isMirrored in [false, true] {
            let picture = Self.picture(
                PixelBufferAttachments(
                    orientation: PictureOrientation(quarterTurns: 2, isMirrored: isMirrored)))
            try Self.expectSame(
                Scene(layers: [Layer(.image(picture), effects: [EffectInstance(negative)])]))
        }
        let key = try EffectLibrary.effect(named: "chroma_key")
        try Self.expectSame(
            Scene(
                layers: [
                    Layer(
                        .image(TestPictures.greenScreen(width: 64, height: 36)),
                        effects: [EffectInstance(key)])
                ]), "an effect that reads the video's own chroma")
    }

    @Test func `a frame is converted again only for another size`() throws {
        try GraphicsTest.withContext { context in
            let source = StillSource(Self.picture())
            let renderer = VideoRenderer(context: context, conversion: .cpu)
            let small = try GLFramebuffer(width: 32, height: 18, context: context)
            let large = try GLFramebuffer(width: 64, height: 36, context: context)
            let scene = Scene(layers: [Layer(.video(source))])
            var reports: [RenderReport] = []
            for framebuffer in [small, small, large] {
                reports.append(
                    renderer.render(scene, hostTime: .zero, into: RenderTarget(framebuffer)))
            }
            #expect(reports.map(\.hasNewPicture) == [true, false, false])
            #expect(reports.map { $0.uploadNanoseconds > 0 } == [true, false, true])
            #expect(source.takenCount == 1)
            #expect(large.image()[0, 0] != [0, 0, 0, 255])
        }
    }

    @Test func `by default the renderer converts on the CPU on software OpenGL`() {
        func choice(_ renderer: String, isOptimized: Bool = true) -> PictureConversion {
            .automatic(
                for: GLCapabilities(
                    version: 45, vendor: "", renderer: renderer, maximumTextureSize: 4096),
                isOptimized: isOptimized)
        }
        guard getenv(PictureConversion.variable) == nil else { return }
        for renderer in ["llvmpipe (LLVM 15.0.6, 256 bits)", "softpipe", "Software Rasterizer"] {
            #expect(choice(renderer) == .cpu)
            #expect(choice(renderer, isOptimized: false) == .gpu)
        }
        for renderer in ["Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "NVIDIA GeForce RTX 3060"] {
            #expect(choice(renderer) == .gpu)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

@Suite(
    "Layers with invalid numbers", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)")
)
struct LayerBadInputTests {
    private typealias S = LayerScene

    private static let bad = [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e12]

    @Test func `a meaningless frame or transform is reported once, and the rest is drawn`() throws {
        for number in Self.bad {
            var layers = [
                S.color(1, 0, 0, at: S.rect(number, 0, 10, 10)),
                S.color(1, 0, 0, at: S.rect(0, 0, number, 10)),
                S.color(1, 0, 0), S.color(1, 0, 0), S.color(1, 0, 0),
            ]
            layers[2].contentsRect = S.rect(0, number, 1, 1)
            layers[3].transform = .rotation(angle: number.isFinite ? .nan : number)
            layers[4].anchorPoint = [number, 0]
            layers[4].transform = .rotation(angle: 1)
            for index in layers.indices { layers[index].name = "\(index)" }
            let good = S.color(0, 1, 0, at: S.rect(2, 2, 3, 3))
            let image = try S.draw(
                Scene(layers: layers + [good]), width: 9, height: 7, expectingProblems: true)
            S.expect(image, "\(number)") { x, y in
                x >= 2 && x < 5 && y >= 2 && y < 5 ? [0, 1, 0, 1] : [0, 0, 0, 1]
            }
        }
    }

    @Test(arguments: [PictureConversion.gpu, .cpu])
    func `other meaningless numbers still give a frame`(conversion: PictureConversion) throws {
        let picture = TestPictures.yuv420p(width: 8, height: 6) { _, _ in [1, 1, 1] }
        for number in Self.bad + [-1, 0] {
            var layer = Layer(.image(picture), frame: .pixels(S.rect(1, 1, 6, 5)))
            layer.cornerRadius = number.isNaN ? 3 : number
            layer.mask = .roundedRectangle(S.rect(0, number, number, 1), cornerRadius: number)
            layer.opacity = number.isNaN ? 1 : number
            var scene = Scene(layers: [layer])
            scene.sublayerTransform = .perspective(distance: number.isNaN ? 0 : number)
            try GraphicsTest.withSharedContext { context in
                let renderer = VideoRenderer(context: context, conversion: conversion)
                let framebuffer = try GLFramebuffer(width: 8, height: 8, context: context)
                _ = renderer.render(
                    scene, hostTime: .zero, into: RenderTarget(framebuffer))
                #expect(GLState.takeError() == nil)
                #expect(framebuffer.image()[0, 0] == [0, 0, 0, 255])
            }
        }
    }

    @Test(arguments: [PictureConversion.gpu, .cpu])
    func `beyond the frame its edge is repeated, by CPU and shader`(conversion: PictureConversion)
        throws
    {
        let picture = TestPictures.yuv420p(width: 4, height: 4) { x, _ in
            x < 2 ? [0, 0, 0] : [1, 1, 1]
        }
        let layer = Layer(
            .image(picture), contentsRect: S.rect(-1, -1, 3, 3), gravity: .resize)
        let image = try S.draw(
            Scene(layers: [layer]), width: 12, height: 12, conversion: conversion)
        #expect((0..<12).allSatisfy { image[0, $0].x < 3 && image[11, $0].x > 252 })
        #expect((0..<12).allSatisfy { image[4, $0].x < 3 && image[8, $0].x > 252 })
        for size in [0.0, -1] {
            var layer = layer
            layer.contentsRect.width = size
            let image = try S.draw(
                Scene(layers: [layer]), width: 5, height: 5, conversion: conversion,
                expectingProblems: size < 0)
            S.expect(image) { _, _ in [0, 0, 0, 1] }
        }
    }

    @Test(arguments: [PictureConversion.gpu, .cpu])
    func `videos of one pixel and of one line are shown`(conversion: PictureConversion) throws {
        for (width, height) in [(1, 1), (16384, 1), (1, 16384), (3, 1)] {
            let picture = TestPictures.yuv420p(width: width, height: height) { _, _ in [1, 0.5, 0] }
            var layer = Layer(.image(picture), gravity: .resize)
            for transform in [Transform3D.identity, .rotation(angle: 0.2)] {
                layer.transform = transform
                let image = try S.draw(
                    Scene(layers: [layer]), width: 7, height: 5, conversion: conversion)
                let middle = SIMD4<Int>(truncatingIfNeeded: image[3, 2])
                let error = middle &- SIMD4(255, 128, 0, 255)
                #expect(error.min() >= -3 && error.max() <= 3, "\(width) x \(height): \(middle)")
            }
        }
    }

    @Test func `an image beyond OpenGL's limits is reported`() throws {
        try GraphicsTest.withSharedContext { context in
            let renderer = VideoRenderer(context: context, conversion: .gpu)
            let width = context.capabilities.maximumTextureSize + 2
            let picture = TestPictures.rgba(width: width, height: 1) { _, _ in [9, 9, 9, 255] }
            let framebuffer = try GLFramebuffer(width: 4, height: 4, context: context)
            let target = RenderTarget(framebuffer)
            for layer in [Layer(.image(picture)), Layer(.video(StillSource(picture)))] {
                let report = renderer.render(
                    Scene(layers: [layer]), hostTime: .zero, into: target)
                #expect("\(report.problems)".contains("exceeds the driver's maximum"))
                #expect(framebuffer.image()[1, 1] == [0, 0, 0, 255])
            }
        }
    }

    @Test func `a failed upload before effects leaks nothing, frame after frame`() throws {
        try GraphicsTest.withContext { context in
            // Rotated frames are left to the shader, which requires their planes, which are too
            // large.
            let renderer = VideoRenderer(context: context, conversion: .cpu)
            let picture = PixelBuffer(
                format: .yuv420p, width: context.capabilities.maximumTextureSize + 2, height: 2,
                attachments: PixelBufferAttachments(
                    orientation: PictureOrientation(quarterTurns: 1))
            ) { _, bytes, _ in bytes.initializeMemory(as: UInt8.self, repeating: 0) }
            let framebuffer = try GLFramebuffer(width: 4, height: 4, context: context)
            let scene = Scene(layers: [
                Layer(
                    .video(StillSource(picture)), gravity: .resize,
                    effects: [EffectInstance(try EffectLibrary.effect(named: "contrast"))])
            ])
            var counts: [Int] = []
            for frame in 0..<8 {
                let report = renderer.render(
                    scene, hostTime: .zero, into: RenderTarget(framebuffer))
                #expect(report.problems.isEmpty == (frame > 0), "reported once")
                counts.append(context.deletionQueue.liveCount(.texture))
            }
            #expect(counts.last == counts[1], "\(counts)")
        }
    }

    @Test func `a target without pixels is not drawn to`() throws {
        try GraphicsTest.withSharedContext { context in
            let renderer = VideoRenderer(context: context)
            for (width, height) in [(0, 0), (0, 5), (5, 0), (-3, 4)] {
                let report = renderer.render(
                    Scene(layers: [S.color(1, 0, 0)]), hostTime: .zero,
                    into: RenderTarget(framebuffer: 0, width: width, height: height))
                #expect(!report.wasDrawn && report.problems.isEmpty)
            }
            #expect(GLState.takeError() == nil)
        }
    }

    @Test func `a hundred levels of layers are drawn`() throws {
        var layer = S.color(1, 0, 0)
        for _ in 0..<100 {
            layer = Layer(sublayers: [layer])
            layer.opacity = 0.999
        }
        let image = try S.draw(Scene(layers: [layer]), width: 4, height: 3)
        #expect(image[1, 1].x > 180)
    }
}

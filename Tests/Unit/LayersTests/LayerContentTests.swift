// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import Observation
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadText
import PlayheadTime
import Synchronization
import Testing

@Suite(
    "Layer contents", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct LayerContentTests {
    private typealias S = LayerScene

    @Test func `text is rasterised once, and again when text, style or width change`() throws {
        func picture(_ layer: Layer) -> PixelBuffer? {
            if case .image(let picture) = layer.content { picture } else { nil }
        }
        let pictures = TextPictures()
        let one = try picture(.text("Hello", pictures: pictures))
        #expect(try picture(.text("Hello", pictures: pictures)) === one)
        #expect(try picture(.text("Hello!", pictures: pictures)) !== one)
        #expect(try picture(.text("Hello", style: TextStyle(size: 9), pictures: pictures)) !== one)
        #expect(try picture(.text("Hello", maximumWidth: 20, pictures: pictures)) !== one)
        #expect(try Layer.text(" ", pictures: pictures).content == .none)
        for index in 0..<600 { _ = try Layer.text("\(index % 300)", pictures: pictures) }
    }

    @Test func `text is positioned by its gravity, pixel for pixel`() throws {
        var layer = try Layer.text(
            "Play", style: TextStyle(size: 30, color: [1, 1, 1, 1], boxColor: [1, 0, 0, 1]),
            gravity: .bottomRight)
        let image = try S.draw(Scene(layers: [layer]), width: 200, height: 100)
        #expect(image[199, 99].x == 255 && image[199, 99].y == 0 && image[0, 0].x == 0)
        // The general path gives the same.
        layer.mask = .roundedRectangle(.unit, cornerRadius: 0)
        let masked = try S.draw(Scene(layers: [layer]), width: 200, height: 100)
        let worst = zip(image.bytes, masked.bytes).map { abs(Int($0) - Int($1)) }.max()
        #expect(worst ?? 255 <= 1)
    }

    @Test func `a layer is ready for display, and has a rectangle, once its video has a frame`()
        throws
    {
        try GraphicsTest.withContext { context in
            let source = StillSource()
            let layer = Layer(.video(source))
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(width: 8, height: 8, context: context)
            defer { withExtendedLifetime(framebuffer) {} }
            let target = RenderTarget(framebuffer)
            _ = renderer.render(Scene(layers: [layer]), hostTime: .zero, into: target)
            #expect(!renderer.isReadyForDisplay(layer))
            #expect(renderer.videoRect(of: layer, bounds: (8, 8)) == nil)
            source.show(TestPictures.rgba(width: 4, height: 2) { _, _ in [1, 2, 3, 255] })
            _ = renderer.render(Scene(layers: [layer]), hostTime: .zero, into: target)
            #expect(renderer.isReadyForDisplay(layer))
            #expect(renderer.videoRect(of: layer, bounds: (8, 8)) == S.rect(0, 2, 8, 4))
            var turned = layer
            turned.gravity = .resizeAspectFill
            #expect(renderer.videoRect(of: turned, bounds: (8, 8)) == S.rect(0, 0, 8, 8))
            // A source without a size of its own fills the frame, whatever part of it is requested.
            let color = Layer(.color([1, 0, 0, 1]), contentsRect: S.rect(0, 0, 0.5, 1))
            #expect(renderer.videoRect(of: color, bounds: (8, 8)) == S.rect(0, 0, 8, 8))
        }
    }

    @Test func `observers learn once that a layer is ready for display`() throws {
        try GraphicsTest.withContext { context in
            let source = StillSource()
            let layer = Layer(.video(source))
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(width: 8, height: 8, context: context)
            defer { withExtendedLifetime(framebuffer) {} }
            let changes = Atomic<Int>(0)
            func render(_ layers: [Layer]) -> Int {
                let scene = Scene(layers: layers)
                _ = renderer.render(scene, hostTime: .zero, into: RenderTarget(framebuffer))
                return changes.exchange(0, ordering: .relaxed)
            }
            func track() -> Bool {
                withObservationTracking {
                    renderer.isReadyForDisplay(layer)
                } onChange: {
                    changes.add(1, ordering: .relaxed)
                }
            }
            #expect(!track())
            #expect(render([layer]) == 0 && render([layer]) == 0)
            source.show(TestPictures.rgba(width: 4, height: 2) { _, _ in [1, 2, 3, 255] })
            #expect(render([layer]) == 1)
            #expect(track())
            source.show(TestPictures.rgba(width: 4, height: 2) { _, _ in [3, 2, 1, 255] })
            #expect(render([layer]) == 0, "another frame")
            #expect(render([]) == 1)
            #expect(!track())
        }
    }

    @Test(arguments: [false, true])
    func `a background replaces the target's contents, also where it is transparent`(
        isTopRowFirst: Bool
    ) throws {
        let instance = EffectInstance(try EffectLibrary.effect(named: "checkerboard"))
        try instance.set(.float(2), for: "size")
        try instance.set(.color([1, 0, 0, 0.2]), for: "dark")
        try instance.set(.color([0, 0, 1, 1]), for: "light")
        let first = Scene(background: .color([0, 1, 0, 1]))
        let image = try S.draw(
            [first, Scene(background: .generator(instance))], width: 7, height: 6,
            isTopRowFirst: isTopRowFirst)
        S.expect(image) { x, y in
            (x / 2 + y / 2) % 2 == 0 ? [0, 0, 1, 1] : [0.2, 0, 0, 0.2]
        }
    }

    @Test(arguments: [PictureConversion.gpu, .cpu], [false, true])
    func `only an opaque result of effects hides the layers behind, copied or drawn`(
        conversion: PictureConversion, isTopRowFirst: Bool
    ) throws {
        let picture = TestPictures.rgba(width: 9, height: 7) { x, y in
            [UInt8(x * 20), UInt8(y * 30), 128, 255]
        }
        func drawn(_ name: String, _ change: (inout Layer) -> Void = { _ in }) throws -> RGBAImage {
            var layer = Layer(.image(picture))
            layer.effects = [EffectInstance(try EffectLibrary.effect(named: name))]
            change(&layer)
            return try S.draw(
                Scene(background: .color([0, 1, 0, 1]), layers: [S.color(1, 0, 0), layer]),
                width: 9, height: 7, isTopRowFirst: isTopRowFirst, conversion: conversion)
        }
        // At half opacity it takes the other path.
        let (whole, half) = (try drawn("contrast"), try drawn("contrast") { $0.opacity = 0.5 })
        S.expect(half) { x, y in
            let seen = SIMD4<Double>(whole[x, y]) / 255
            return seen * 0.5 + [0.5, 0, 0, 0.5]
        }
        // A corner that is cut off, a smaller frame, and an effect with holes show the background.
        let cut = try drawn("contrast") { $0.mask = .roundedRectangle(.unit, cornerRadius: 3) }
        #expect(cut[0, 0].x > 200 && cut[4, 3] == whole[4, 3])
        let small = try drawn("contrast") { $0.frame = .pixels(S.rect(1, 0, 8, 7)) }
        #expect(small[0, 3] == [255, 0, 0, 255])
        let bent = try drawn("lens_distortion") { layer in
            try? layer.effects[0].set(.float(1), for: "barrel")
        }
        #expect(bent[0, 0] == [255, 0, 0, 255])
    }

    @Test func `a snapshot does not change, alpha included`() throws {
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let scene = Scene(
                background: .color([0, 0, 0, 0]), layers: [S.color(1, 0.5, 0, 0.5)])
            let frozen = try renderer.snapshot(
                of: scene, hostTime: .zero, width: 3, height: 2)
            let framebuffer = try GLFramebuffer(width: 3, height: 2, context: context)
            let over = Scene(background: .color([0, 0, 1, 1]), layers: [Layer(.image(frozen))])
            _ = renderer.render(over, hostTime: .zero, into: RenderTarget(framebuffer))
            S.expect(framebuffer.image()) { _, _ in [0.5, 0.25, 0.5, 1] }
        }
    }

    @Test func `an animated scene is drawn again only while it changes`() throws {
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(width: 8, height: 8, context: context)
            defer { withExtendedLifetime(framebuffer) {} }
            let target = RenderTarget(framebuffer)
            var layer = S.color(1, 0, 0, at: S.rect(1, 1, 3, 3))
            layer.animate(
                .rotation([0, 1]), beginTime: MediaTime(value: 1, timescale: 1),
                duration: MediaTime(value: 1, timescale: 1))
            let scene = Scene(layers: [layer])
            let drawn = [0.0, 0.5, 1.2, 1.4, 1.4, 2.5, 3].map { seconds in
                renderer.render(
                    scene, hostTime: MediaTime(value: Int64(seconds * 10), timescale: 10),
                    into: target, redraw: .ifChanged
                ).wasDrawn
            }
            #expect(drawn == [true, false, true, true, false, true, false])
        }
    }
}

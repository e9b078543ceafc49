// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadHeadless
import PlayheadLayers
import PlayheadText
import PlayheadTime
import Testing

@Suite(
    "What layers show", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct LayerContentTests {
    private typealias S = LayerScene

    @Test("text is made once, and again when words, style or width change")
    func text() throws {
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

    @Test("text stands where its gravity puts it, pixel for pixel")
    func textPlace() throws {
        var layer = try Layer.text(
            "Play", style: TextStyle(size: 30, color: [1, 1, 1, 1], boxColor: [1, 0, 0, 1]),
            gravity: .bottomRight)
        let image = try S.draw(Scene(layers: [layer]), width: 200, height: 100)
        #expect(image[199, 99].x == 255 && image[199, 99].y == 0 && image[0, 0].x == 0)
        // Through the general way, the same.
        layer.mask = .roundedRectangle(.unit, cornerRadius: 0)
        let masked = try S.draw(Scene(layers: [layer]), width: 200, height: 100)
        let worst = zip(image.bytes, masked.bytes).map { abs(Int($0) - Int($1)) }.max()
        #expect(worst ?? 255 <= 1)
    }

    @Test("a layer is ready for display, and has a rectangle, once its film has a picture")
    func ready() throws {
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
        }
    }

    @Test("a snapshot stays as it was, alpha included")
    func snapshot() throws {
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

    @Test("an animated scene is drawn again as long as it changes, and not when it does not")
    func redraw() throws {
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

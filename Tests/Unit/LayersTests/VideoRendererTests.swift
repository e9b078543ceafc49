// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTextures
import PlayheadTime
import Testing

@Suite("Video renderer", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct VideoRendererTests {
    /// Draws a scene and returns the image.
    private static func draw(
        _ scene: Scene, width: Int, height: Int, isTopRowFirst: Bool = false
    ) throws -> (RGBAImage, RenderReport) {
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(width: width, height: height, context: context)
            var target = RenderTarget(framebuffer)
            target.isTopRowFirst = isTopRowFirst
            let report = renderer.render(scene, hostTime: .zero, into: target)
            #expect(GLState.takeError() == nil)
            return (framebuffer.image(isBottomUp: !isTopRowFirst), report)
        }
    }

    /// Returns four colours in the corners: 1 2 above 3 4, distinguished by their red.
    private static func corners(_ attachments: PixelBufferAttachments = .init()) -> PixelBuffer {
        TestPictures.rgba(width: 4, height: 2, attachments: attachments) { x, y in
            [UInt8(10 * (1 + x / 2 + 2 * y)), 0, 0, 255]
        }
    }

    private static func reds(_ image: RGBAImage) -> [UInt8] {
        [(0, 0), (1, 0), (0, 1), (1, 1)].map {
            image[$0.0 * (image.width - 1), $0.1 * (image.height - 1)].x
        }
    }

    @Test(arguments: [false, true])
    func `a frame that fits is drawn sample for pixel, whichever row is first`(isTopRowFirst: Bool)
        throws
    {
        let picture = TestPictures.rgba(width: 8, height: 4) { x, y in
            [UInt8(x * 30), UInt8(y * 60), UInt8((x + y) % 2 * 255), 255]
        }
        let (image, _) = try Self.draw(
            Scene(layers: [Layer(.video(StillSource(picture)))]), width: 8, height: 4,
            isTopRowFirst: isTopRowFirst)
        for y in 0..<4 {
            for x in 0..<8 {
                #expect(
                    image[x, y]
                        == [UInt8(x * 30), UInt8(y * 60), UInt8((x + y) % 2 * 255), 255])
            }
        }
    }

    @Test(arguments: [
        (0, false, [10, 20, 30, 40] as [UInt8]), (1, false, [30, 10, 40, 20]),
        (2, false, [40, 30, 20, 10]), (3, false, [20, 40, 10, 30]),
        (0, true, [20, 10, 40, 30]), (1, true, [40, 20, 30, 10]),
    ])
    func `frames are rotated and mirrored by their orientation`(
        turns: Int, isMirrored: Bool, expected: [UInt8]
    ) throws {
        let picture = Self.corners(
            PixelBufferAttachments(
                orientation: PictureOrientation(quarterTurns: turns, isMirrored: isMirrored)))
        let (width, height) = turns % 2 == 1 ? (2, 4) : (4, 2)
        let (image, _) = try Self.draw(
            Scene(layers: [Layer(.image(picture))]), width: width, height: height)
        #expect(Self.reds(image) == expected)
        // Also through an effect.
        let effect = try ISFImporter.effect(
            text: """
                /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
                void main() { gl_FragColor = IMG_THIS_PIXEL(inputImage); }
                """, path: "same.fs")
        let (same, _) = try Self.draw(
            Scene(layers: [Layer(.image(picture), effects: [EffectInstance(effect)])]),
            width: width, height: height)
        #expect(Self.reds(same) == expected)
    }

    @Test func `gravity fits, fills or stretches, and the rest shows the background`() throws {
        let picture = TestPictures.rgba(width: 4, height: 2) { x, _ in
            [UInt8(50 + 50 * x), 0, 0, 255]
        }
        func row(_ gravity: LayerGravity) throws -> ([UInt8], corner: UInt8) {
            let scene = Scene(
                background: .color([0, 1, 0, 1]), layers: [Layer(.image(picture), gravity: gravity)]
            )
            let (image, _) = try Self.draw(scene, width: 4, height: 4)
            return ((0..<4).map { image[$0, 2].x }, image[0, 0].y)
        }
        #expect(try row(.resizeAspect) == ([50, 100, 150, 200], corner: 255))
        #expect(try row(.resize) == ([50, 100, 150, 200], corner: 0))
        let (filled, corner) = try row(.resizeAspectFill)
        #expect(corner == 0)
        // The middle half, stretched to twice its width.
        #expect(filled.first ?? 0 >= 85 && filled.last ?? 255 <= 165)
    }

    @Test func `a wide pixel aspect ratio widens the frame`() throws {
        let picture = TestPictures.rgba(
            width: 2, height: 2,
            attachments: PixelBufferAttachments(
                pixelAspectRatio: .init(horizontal: 2, vertical: 1))
        ) { _, _ in [255, 0, 0, 255] }
        let (image, _) = try Self.draw(
            Scene(layers: [Layer(.image(picture))]), width: 8, height: 8)
        #expect(image[0, 1].x == 0 && image[0, 2].x == 255 && image[7, 5].x == 255)
        #expect(image[7, 6].x == 0)
    }

    @Test func `a puzzle of one video's parts uploads each frame once`() throws {
        let source = StillSource(Self.corners())
        let layers = (0..<4).map { piece in
            // Each quarter goes to the quarter diagonally opposite.
            let (x, y) = (Double(piece % 2) / 2, Double(piece / 2) / 2)
            return Layer(
                .video(source),
                frame: .fraction(LayerRect(x: 0.5 - x, y: 0.5 - y, width: 0.5, height: 0.5)),
                contentsRect: LayerRect(x: x, y: y, width: 0.5, height: 0.5))
        }
        let (image, report) = try Self.draw(Scene(layers: layers), width: 4, height: 2)
        #expect(Self.reds(image) == [40, 30, 20, 10])
        #expect(source.takenCount == 1)
        #expect(report.hasNewPicture)
    }

    @Test func `of several videos the report describes the observed one`() throws {
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let sources = [StillSource(Self.corners()), StillSource(Self.corners())]
            let scene = Scene(layers: sources.map { Layer(.video($0)) })
            let framebuffer = try GLFramebuffer(width: 4, height: 2, context: context)
            func report() -> [Bool] {
                let report = renderer.render(
                    scene, hostTime: .zero, into: RenderTarget(framebuffer))
                return [report.hasNewPicture, report.hasNewObservedPicture]
            }
            #expect(report() == [true, true])
            #expect(report() == [false, false])
            sources[1].show(Self.corners())
            #expect(report() == [true, false])
            sources[0].show(Self.corners())
            #expect(report() == [true, true])
            // Any source may be observed, in any order of the layers.
            func isNew(_ observed: StillSource) -> Bool {
                renderer.render(
                    scene, hostTime: .zero, into: RenderTarget(framebuffer),
                    keepsPictures: false, observing: observed
                ).hasNewObservedPicture
            }
            sources[1].show(Self.corners())
            #expect(isNew(sources[1]))
            sources[0].show(Self.corners())
            #expect(!isNew(sources[1]))
            sources[0].show(Self.corners())
            #expect(isNew(sources[0]))
            sources[0].show(Self.corners())
            // Nothing is known of a source that is not shown.
            #expect(isNew(StillSource(Self.corners())))
        }
    }

    @Test func `opacity and alpha mix, straight and premultiplied alike`() throws {
        func over(_ pixel: SIMD4<UInt8>, _ alpha: ColorAttachments.Alpha, opacity: Double) throws
            -> SIMD4<UInt8>
        {
            let picture = TestPictures.rgba(
                width: 2, height: 2,
                attachments: PixelBufferAttachments(color: ColorAttachments(alpha: alpha))
            ) { _, _ in pixel }
            let scene = Scene(
                background: .color([0, 0, 1, 1]), layers: [Layer(.image(picture), opacity: opacity)]
            )
            return try Self.draw(scene, width: 2, height: 2).0[0, 0]
        }
        #expect(try over([200, 100, 0, 128], .straight, opacity: 1) == [100, 50, 127, 255])
        #expect(try over([100, 50, 0, 128], .premultiplied, opacity: 1) == [100, 50, 127, 255])
        let half = try over([200, 100, 0, 255], .straight, opacity: 0.5)
        #expect(half.x == 100 && half.y == 50 && (127...128).contains(half.z))
    }

    @Test func `a colour is a layer too`() throws {
        let scene = Scene(layers: [
            Layer(
                .color([1, 0, 0, 0.5]),
                frame: .pixels(LayerRect(x: 1, y: 0, width: 2, height: 1)))
        ])
        let (image, _) = try Self.draw(scene, width: 4, height: 2)
        #expect(image[1, 0] == [128, 0, 0, 255] && image[2, 0] == [128, 0, 0, 255])
        #expect(image[0, 0] == [0, 0, 0, 255] && image[1, 1] == [0, 0, 0, 255])
    }

    @Test func `an unchanged frame is not drawn`() throws {
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(width: 4, height: 2, context: context)
            defer { withExtendedLifetime(framebuffer) {} }
            let target = RenderTarget(framebuffer)
            let source = StillSource(Self.corners())
            let key = EffectInstance(try EffectLibrary.effect(named: "chroma_key"))
            var scene = Scene(layers: [Layer(.video(source))])
            func isDrawn() -> Bool {
                renderer.render(scene, hostTime: .zero, into: target, redraw: .ifChanged).wasDrawn
            }
            #expect(isDrawn())
            #expect(!isDrawn())
            source.show(Self.corners())
            #expect(isDrawn())
            #expect(!isDrawn())
            scene.layers[0].effects = [key]
            #expect(isDrawn())
            #expect(!isDrawn())
            try key.set(.float(0.1), for: "tolerance")
            #expect(isDrawn())
            #expect(!isDrawn())
            scene.background = .checkerboard()
            #expect(isDrawn())
            #expect(!isDrawn())
        }
    }

    @Test func `an effect that does not compile is bypassed, and reported once`() throws {
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(width: 4, height: 2, context: context)
            let broken = EffectInstance(
                try ISFImporter.effect(
                    text: """
                        /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
                        void main() { wrong; }
                        """, path: "broken.fs"))
            let scene = Scene(layers: [Layer(.image(Self.corners()), effects: [broken])])
            let target = RenderTarget(framebuffer)
            let first = renderer.render(scene, hostTime: .zero, into: target)
            #expect(first.problems.count == 1)
            #expect("\(first.problems)".contains("broken.fs:2"))
            #expect(renderer.render(scene, hostTime: .zero, into: target).problems.isEmpty)
            #expect(Self.reds(framebuffer.image()) == [10, 20, 30, 40])
        }
    }

    @Test func `a frame that cannot be drawn is reported once, and the rest is drawn`() throws {
        let odd = PixelFormat(
            name: "odd", model: .gray,
            components: [PixelFormat.Component(plane: 0, step: 5, offset: 0, depth: 8)])
        let picture = PixelBuffer(format: odd, width: 2, height: 2) { _, _, _ in }
        for content in [Layer.Content.video(StillSource(picture)), .image(picture)] {
            try GraphicsTest.withContext { context in
                let renderer = VideoRenderer(context: context)
                let framebuffer = try GLFramebuffer(width: 2, height: 2, context: context)
                let scene = Scene(background: .color([1, 0, 0, 1]), layers: [Layer(content)])
                let target = RenderTarget(framebuffer)
                let problems = renderer.render(scene, hostTime: .zero, into: target).problems
                #expect(problems == [.picture(.unsupportedFormat(odd))])
                #expect(renderer.render(scene, hostTime: .zero, into: target).problems.isEmpty)
                #expect(framebuffer.image()[0, 0] == [255, 0, 0, 255])
            }
        }
    }
}

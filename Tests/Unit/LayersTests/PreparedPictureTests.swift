// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

@Suite(
    "Prepared frames",
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct PreparedPictureTests {
    private static func picture(_ shade: Double) -> PixelBuffer {
        TestPictures.yuv420p(width: 64, height: 36) { x, y in
            [Double(x) / 80 + 0.1, Double(y) / 50 + 0.2, shade]
        }
    }

    /// Draws two frames, one after the other; the second is announced or not.
    private static func draw(
        effects: [Effect] = [], announced: Int?, sizes: [(Int, Int)] = [(48, 40), (48, 40)]
    ) throws -> (image: RGBAImage, preparedCount: Int) {
        let pictures = [picture(0.2), picture(0.7), picture(0.9)]
        return try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context, conversion: .cpu, helperCount: 0)
            let source = StillSource(pictures[0])
            let scene = Scene(
                layers: [Layer(.video(source), effects: effects.map { EffectInstance($0) })])
            let first = try GLFramebuffer(
                width: sizes[0].0, height: sizes[0].1, context: context)
            _ = renderer.render(scene, hostTime: .zero, into: RenderTarget(first))
            if let announced {
                source.announce(pictures[announced])
                renderer.prepareNextPicture()
                try eventually("the next frame") { renderer.isNextPicturePrepared }
            }
            source.show(pictures[1])
            let second = try GLFramebuffer(
                width: sizes[1].0, height: sizes[1].1, context: context)
            let report = renderer.render(scene, hostTime: .zero, into: RenderTarget(second))
            #expect(report.problems.isEmpty)
            #expect(report.hasNewPicture)
            #expect(GLState.takeError() == nil)
            return (second.image(), renderer.preparedCount)
        }
    }

    @Test func `a prepared frame looks like one that was not prepared`() throws {
        let (image, count) = try Self.draw(announced: 1)
        let (expected, none) = try Self.draw(announced: nil)
        #expect((count, none) == (1, 0))
        #expect(image.bytes == expected.bytes)
    }

    @Test func `a frame is prepared for effects too`() throws {
        let negative = try ISFImporter.effect(
            text: """
                /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
                void main() {
                    gl_FragColor = vec4(1.0 - IMG_THIS_PIXEL(inputImage).rgb, 1.0);
                }
                """, path: "negative.fs")
        let (image, count) = try Self.draw(effects: [negative], announced: 1)
        let (expected, _) = try Self.draw(effects: [negative], announced: nil)
        #expect(count == 1)
        #expect(image.bytes == expected.bytes)
    }

    @Test func `a prepared frame is not used for another frame or size`() throws {
        let (image, count) = try Self.draw(announced: 2)
        let (expected, _) = try Self.draw(announced: nil)
        #expect(count == 0)
        #expect(image.bytes == expected.bytes)
        let sizes = [(48, 40), (32, 30)]
        let (small, smallCount) = try Self.draw(announced: 1, sizes: sizes)
        let (expectedSmall, _) = try Self.draw(announced: nil, sizes: sizes)
        #expect(smallCount == 0)
        #expect(small.bytes == expectedSmall.bytes)
    }

    @Test func `of several videos one is prepared without disturbing the others`() throws {
        let pictures = [Self.picture(0.2), Self.picture(0.7)]
        let others = [Self.picture(0.4), Self.picture(0.9)]
        func draw(announces: Bool) throws -> RGBAImage {
            try GraphicsTest.withContext { context in
                let renderer = VideoRenderer(context: context, conversion: .cpu, helperCount: 0)
                let (left, right) = (StillSource(pictures[0]), StillSource(others[0]))
                let half = { (x: Double, source: StillSource) in
                    Layer(
                        .video(source),
                        frame: .fraction(LayerRect(x: x, y: 0, width: 0.5, height: 1)))
                }
                let scene = Scene(layers: [half(0, left), half(0.5, right)])
                let framebuffer = try GLFramebuffer(width: 96, height: 40, context: context)
                let target = RenderTarget(framebuffer)
                for turn in [0, 1, 0, 1] {
                    left.show(pictures[turn])
                    right.show(others[turn])
                    _ = renderer.render(scene, hostTime: .zero, into: target)
                    guard announces else { continue }
                    // Only the frame of the output that was requested last can be prepared.
                    left.announce(pictures[1 - turn])
                    right.announce(others[1 - turn])
                    renderer.prepareNextPicture()
                }
                return framebuffer.image()
            }
        }
        #expect(try draw(announces: true).bytes == draw(announces: false).bytes)
    }

    @Test func `no frame is prepared if a shader converts`() throws {
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context, conversion: .gpu)
            let source = StillSource(Self.picture(0.2))
            source.announce(Self.picture(0.7))
            let framebuffer = try GLFramebuffer(width: 48, height: 40, context: context)
            _ = renderer.render(
                Scene(layers: [Layer(.video(source))]), hostTime: .zero,
                into: RenderTarget(framebuffer))
            renderer.prepareNextPicture()
            #expect(!renderer.isNextPicturePrepared)
        }
    }

    @Test func `a frame may be skipped until it is prepared, and the previous one is drawn`() throws
    {
        let pictures = [Self.picture(0.2), Self.picture(0.7)]
        let (before, after) = try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context, conversion: .cpu, helperCount: 0)
            let source = StillSource(pictures[0])
            let scene = Scene(layers: [Layer(.video(source))])
            let framebuffer = try GLFramebuffer(width: 48, height: 40, context: context)
            let target = RenderTarget(framebuffer)
            // Without a previous frame, there is nothing to draw instead.
            #expect(renderer.isReady(pictures[0]))
            _ = renderer.render(scene, hostTime: .zero, into: target)
            let first = framebuffer.image()
            source.show(pictures[1])
            #expect(!renderer.isReady(pictures[1]))
            let report = renderer.render(scene, hostTime: .zero, into: target, keepsPictures: true)
            #expect(!report.hasNewPicture)
            #expect(framebuffer.image().bytes == first.bytes)
            try eventually("the frame that is due") { renderer.isReady(pictures[1]) }
            let other = renderer.render(scene, hostTime: .zero, into: target)
            #expect(other.hasNewPicture)
            #expect(renderer.preparedCount == 1)
            return (first, framebuffer.image())
        }
        let (expected, _) = try Self.draw(announced: nil)
        #expect(before.bytes != after.bytes)
        #expect(after.bytes == expected.bytes)
    }
}

// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

/// Effects of layers that show nothing yet.
@Suite("Hidden effects", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct UnseenEffectTests {
    /// Passes a function that returns whether a frame is drawn; frames are drawn only after a
    /// change.
    private static func withFrames(_ body: (_ isDrawn: (Scene) -> Bool) throws -> Void) throws {
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(width: 8, height: 8, context: context)
            try body { scene in
                let report = renderer.render(
                    scene, hostTime: .zero, into: RenderTarget(framebuffer), redraw: .ifChanged)
                #expect(report.problems.isEmpty)
                return report.wasDrawn
            }
        }
    }

    private static let picture = TestPictures.rgba(width: 8, height: 8) { x, y in
        [UInt8(x * 30), UInt8(y * 30), 99, 255]
    }

    @Test func `the effect of a video without a frame is not drawn until there is one`() throws {
        let vignette = EffectInstance(try EffectLibrary.effect(named: "vignette"))
        let moving = EffectInstance(
            try ISFImporter.effect(
                text: """
                    /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
                    void main() { gl_FragColor = IMG_THIS_PIXEL(inputImage) * fract(TIME); }
                    """, path: "moving.fs"))
        let source = StillSource()
        try Self.withFrames { isDrawn in
            let scene = Scene(layers: [Layer(.video(source), effects: [vignette])])
            #expect([isDrawn(scene), isDrawn(scene), isDrawn(scene)] == [true, false, false])
            let other = Scene(layers: [Layer(.video(source), effects: [moving])])
            #expect([isDrawn(other), isDrawn(other)] == [true, false])
            source.show(Self.picture)
            #expect([isDrawn(scene), isDrawn(scene)] == [true, false])
            #expect([isDrawn(other), isDrawn(other)] == [true, true])
        }
    }

    @Test func `the effect of a layer outside of the target is not drawn until it is inside`()
        throws
    {
        let vignette = EffectInstance(try EffectLibrary.effect(named: "vignette"))
        var layer = Layer(
            .image(Self.picture), frame: .pixels(LayerRect(x: 20, y: 0, width: 8, height: 8)),
            effects: [vignette])
        try Self.withFrames { isDrawn in
            let beside = Scene(layers: [layer])
            #expect([isDrawn(beside), isDrawn(beside)] == [true, false])
            layer.frame = .pixels(LayerRect(x: 2, y: 0, width: 8, height: 8))
            let seen = Scene(layers: [layer])
            #expect([isDrawn(seen), isDrawn(seen)] == [true, false])
        }
    }
}

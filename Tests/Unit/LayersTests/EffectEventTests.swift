// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

/// Event inputs of effects, which are true for one frame, while nothing else changes.
@Suite("Event inputs", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct EffectEventTests {
    private static func flash() throws -> EffectInstance {
        EffectInstance(
            try ISFImporter.effect(
                text: """
                    /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" },
                        { "NAME": "go", "TYPE": "event" } ] }*/
                    void main() { gl_FragColor = vec4(go ? 1.0 : 0.0, 0.0, 0.0, 1.0); }
                    """, path: "flash.fs"))
    }

    @Test(arguments: 0..<3)
    func `an event is visible for one frame, in layers, groups and transitions`(kind: Int) throws {
        let effect = try Self.flash()
        var layer = Layer(.color([0, 1, 0, 1]))
        switch kind {
        case 0: layer.effects = [effect]
        case 1:
            layer = Layer(sublayers: [layer])
            layer.effects = [effect]
        default:
            var from = layer
            from.effects = [effect]
            // At its start only one side is visible, whatever effect is between them.
            layer = Layer(
                .transition(LayerTransition(try Self.flash(), from: from, to: Layer(.none))))
        }
        let scene = Scene(layers: [layer])
        let looks = try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(width: 2, height: 2, context: context)
            return try (0..<5).map { frame in
                if frame == 1 { try effect.set(.event, for: "go") }
                let report = renderer.render(
                    scene, hostTime: .zero, into: RenderTarget(framebuffer), redraw: .ifChanged)
                return (report.wasDrawn, framebuffer.image()[0, 0].x)
            }
        }
        #expect(looks.map(\.1) == [0, 255, 0, 0, 0])
        #expect(looks.map(\.0) == [true, true, true, false, false])
    }
}

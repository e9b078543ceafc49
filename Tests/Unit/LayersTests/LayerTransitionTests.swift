// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

@Suite(
    "Layer transitions", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct LayerTransitionTests {
    private typealias S = LayerScene

    private static func effect(_ body: String) throws -> EffectInstance {
        EffectInstance(
            try TransitionImporter.effect(
                text: "vec4 transition(vec2 uv) { \(body) }", path: "test.glsl"))
    }

    private static let red = S.color(1, 0, 0)
    private static let blue = S.color(0, 0, 1)

    private static func layer(
        _ body: String, progress: Double, from: Layer = red, to: Layer = blue
    ) throws -> Layer {
        Layer(
            .transition(
                LayerTransition(try effect(body), from: from, to: to, progress: progress)))
    }

    @Test func `halfway the effect mixes both sides, and a wipe shows one on either side`() throws {
        let wipe = "return uv.x < progress ? getToColor(uv) : getFromColor(uv);"
        let image = try S.draw(
            Scene(layers: [Self.layer(wipe, progress: 0.25)]), width: 8, height: 4)
        S.expect(image) { x, _ in x < 2 ? [0, 0, 1, 1] : [1, 0, 0, 1] }
        let fade = "return mix(getFromColor(uv), getToColor(uv), progress);"
        let faded = try S.draw(
            Scene(layers: [Self.layer(fade, progress: 0.25)]), width: 4, height: 4)
        S.expect(faded) { _, _ in [0.75, 0, 0.25, 1] }
    }

    @Test func `at 0 and 1 a transition shows one side unchanged for any effect`()
        throws
    {
        for (progress, color) in [(0.0, SIMD4(1.0, 0, 0, 1)), (1, [0, 0, 1, 1])] {
            let image = try S.draw(
                Scene(layers: [Self.layer("return vec4(0.5);", progress: progress)]), width: 4,
                height: 4)
            S.expect(image) { _, _ in color }
        }
    }

    @Test func `videos are upright on both sides, fill the frame and keep transparency`() throws {
        let picture = TestPictures.rgba(width: 4, height: 4) { x, y in
            y < 2 ? [0, UInt8(x * 60), 0, 255] : [0, 0, 255, 255]
        }
        var half = Layer(.video(StillSource(picture)))
        half.opacity = 0.5
        let layer = try Self.layer(
            "return getToColor(uv);", progress: 0.5, from: Self.red, to: half)
        var framed = layer
        framed.frame = .pixels(S.rect(2, 0, 4, 4))
        let image = try S.draw(Scene(layers: [framed]), width: 8, height: 4)
        S.expect(image) { x, y in
            guard (2..<6).contains(x) else { return [0, 0, 0, 1] }
            return y < 2 ? [0, Double((x - 2) * 60) / 510, 0, 1] : [0, 0, 0.5, 1]
        }
    }

    @Test func `progress is animated like any property, and both videos count as shown`() throws {
        let (first, second) = (
            StillSource(TestPictures.rgba(width: 2, height: 2) { _, _ in [255, 0, 0, 255] }),
            StillSource(TestPictures.rgba(width: 2, height: 2) { _, _ in [0, 0, 255, 255] })
        )
        var layer = try Self.layer(
            "return mix(getFromColor(uv), getToColor(uv), progress);", progress: 0,
            from: Layer(.video(first)), to: Layer(.video(second)))
        layer.animate(
            .progress([0, 1]), beginTime: MediaTime(value: 1, timescale: 1),
            duration: MediaTime(value: 2, timescale: 1), timingFunction: .linear)
        for (tenths, share) in [(0, 0.0), (15, 0.25), (20, 0.5), (30, 1), (50, 1)] {
            let image = try S.draw(
                Scene(layers: [layer]), width: 2, height: 2,
                hostTime: MediaTime(value: Int64(tenths), timescale: 10))
            S.expect(image, "at \(tenths)") { _, _ in [1 - share, 0, share, 1] }
        }
        var count = 0
        Scene(layers: [layer]).forEachSource { _ in count += 1 }
        #expect(count == 2)
    }

    @Test func `an effect that does not compile is reported, and the transition is a cut`() throws {
        for (progress, color) in [(0.25, SIMD4(1.0, 0, 0, 1)), (0.75, [0, 0, 1, 1])] {
            let image = try S.draw(
                Scene(layers: [Self.layer("return nothing;", progress: progress)]), width: 4,
                height: 4, expectingProblems: true)
            S.expect(image) { _, _ in color }
        }
    }

    @Test func `transitions are rotated, faded and filtered like any layer`() throws {
        var layer = try Self.layer("return getFromColor(uv);", progress: 0.5)
        layer.opacity = 0.5
        layer.transform = .identity.scaled(x: 0.5, y: 1)
        let invert = EffectInstance(
            try ISFImporter.effect(
                text: """
                    /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
                    void main() {
                        vec4 c = IMG_THIS_PIXEL(inputImage);
                        gl_FragColor = vec4(1.0 - c.rgb, c.a);
                    }
                    """, path: "invert.fs"))
        layer.effects = [invert]
        let image = try S.draw(Scene(layers: [layer]), width: 8, height: 4)
        S.expect(image) { x, _ in (2..<6).contains(x) ? [0, 0.5, 0.5, 1] : [0, 0, 0, 1] }
    }

    @Test func `in a scaled layer, both sides are positioned like sublayers`() throws {
        let side = S.color(1, 0, 0, at: S.rect(2, 1, 4, 3))
        var plain = Layer(frame: .pixels(S.rect(6, 4, 12, 8)), sublayers: [side])
        var places = [plain, plain]
        places[0].transform = .scale(x: 2, y: 2)
        places[1].sublayerTransform = .scale(x: 2, y: 2)
        places[1].anchorPoint = [0, 0]
        plain = places[0]
        plain.anchorPoint = [0, 0]
        plain.sublayerTransform = .translation(x: 1, y: 2)
        for place in places + [plain] {
            for (progress, isFrom) in [(0.0, true), (0.5, true), (1, false)] {
                var layer = place
                layer.sublayers = []
                layer.content = .transition(
                    LayerTransition(
                        try Self.effect("return getFromColor(uv);"),
                        from: isFrom ? side : Self.blue,
                        to: isFrom ? Self.blue : side, progress: progress))
                let image = try S.draw(Scene(layers: [layer]), width: 36, height: 24)
                let expected = try S.draw(Scene(layers: [place]), width: 36, height: 24)
                S.expect(image, "\(progress)") { x, y in
                    SIMD4<Double>(SIMD4<Int>(truncatingIfNeeded: expected[x, y])) / 255
                }
            }
        }
    }

    @Test func `scaling effects get a frame's own size and its size on the target`() throws {
        // Green is the size of the input, red that of the output.
        let scaler = EffectInstance(
            try ISFImporter.effect(
                text: """
                    /*{ "PLAYHEAD": { "SOURCE_SIZE": true },
                        "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
                    void main() {
                        gl_FragColor = vec4(
                            RENDERSIZE.x / 255.0, IMG_SIZE(inputImage).x / 255.0, 0.0, 1.0);
                    }
                    """, path: "scaler.fs"))
        let picture = TestPictures.rgba(width: 6, height: 4) { _, _ in [0, 0, 0, 255] }
        for width in [3, 6, 24] {
            let image = try S.draw(
                Scene(layers: [Layer(.image(picture), effects: [scaler])]), width: width,
                height: width * 2 / 3)
            S.expect(image) { _, _ in [Double(width) / 255, 6.0 / 255, 0, 1] }
        }
    }
}

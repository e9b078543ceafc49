// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import Testing

@Suite("Fused effects")
struct FusionTests {
    private static func instance(_ name: String) throws -> EffectInstance {
        EffectInstance(try EffectLibrary.effect(named: name))
    }

    private static func instance(text: String) throws -> EffectInstance {
        EffectInstance(try ISFImporter.effect(text: text, path: "test.fs"))
    }

    @Test(arguments: [
        ("exposure", true), ("contrast", true), ("white_balance", true), ("curves", true),
        ("hue_curve", true), ("vignette", true), ("film_grain", true), ("sharpen", false),
        ("gaussian_blur", false), ("pixelate", false), ("feedback", false), ("lut", false),
        ("displace", false), ("chroma_key", false), ("checkerboard", false),
    ])
    func `effects that read only their own pixel are detected`(name: String, expected: Bool) throws
    {
        #expect(try EffectLibrary.effect(named: name).isPerPixel == expected)
    }

    private static let all = EffectLibrary.builtInNames.filter {
        (try? EffectLibrary.effect(named: $0))?.isPerPixel == true
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `fused effects draw the same as separate ones, in pairs and all together`() throws {
        var chains = Self.all.flatMap { first in Self.all.map { [first, $0] } }
        chains.append(Self.all)
        chains.append(["contrast", "contrast", "contrast", "contrast", "contrast"])
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            for chain in chains {
                let instances = try chain.map { try Self.instance($0) }
                #expect(bench.renderer.fusibleCount(of: instances[...]) == instances.count)
                let error = bench.renderer.compile(fusing: instances[...])
                #expect(error == nil, "\(chain)")
                let apart = try #require(bench.draw(instances, seconds: 2, fused: false))
                guard let fused = bench.draw(instances, seconds: 2, fused: true) else { continue }
                #expect(fused.distance(to: apart) <= 1, "\(chain)")
            }
        }
    }

    private static let identity = """
        /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
        void main() { gl_FragColor = IMG_THIS_PIXEL(inputImage); }
        """

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: [
            // Samples outside of functions.
            "vec4 src = IMG_THIS_PIXEL(inputImage); void main() { gl_FragColor = vec4(src.bgr, 1.0); }",
            "#define HERE IMG_THIS_PIXEL(inputImage)\nvec4 s = HERE; void main() { gl_FragColor = s.brga; }",
            "vec4 here() { return IMG_THIS_PIXEL(inputImage); } vec4 s = here(); void main() { gl_FragColor = s.bgra; }",
            "vec4 here() { return IMG_THIS_PIXEL(inputImage); }\n#define S vec4 s = here();\nS\n"
                + "void main() { gl_FragColor = s.bgra; }",
            "#define END ;\nvec4 here() { return IMG_THIS_PIXEL(inputImage); }\n"
                + "const float one = 1.0 END vec4 s = here(); void main() { gl_FragColor = s.bgra; }",
            // A directive that continues after a comment.
            "#define HALF /* of\nit */ 0.5\nvoid main() { gl_FragColor = IMG_THIS_PIXEL(inputImage) * HALF; }",
            // Another name for the output.
            "out vec4 color; void main() { color = vec4(1.0, IMG_THIS_PIXEL(inputImage).g, 0.0, 1.0); }",
            // The maximum number of iterations for one effect, in each of two.
            """
            void main() {
                float turns = 0.0;
                while (turns < 10000.0 + IMG_THIS_PIXEL(inputImage).r) turns += 1.0;
                gl_FragColor = vec4(vec3(turns / 20000.0), 1.0);
            }
            """,
        ])
    func `an effect is fused correctly however its text is written`(body: String) throws {
        let header = "/*{ \"INPUTS\": [{ \"NAME\": \"inputImage\", \"TYPE\": \"image\" }] }*/\n"
        let own = try [Self.instance(text: header + body), Self.instance(text: header + body)]
        let chain = own + [try Self.instance(text: Self.identity)]
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let apart = try #require(bench.draw(chain, fused: false))
            let fused = try #require(bench.draw(chain, fused: true))
            #expect(fused.distance(to: apart) <= 1)
            #expect(apart.bytes.contains { $0 != 0 && $0 != 255 })
        }
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `values that change after the first draw take effect`() throws {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let instances = try Self.all.map { try Self.instance($0) }
            for step in 0..<6 {
                // Twice with the same values, then with others, and back again.
                let value = Float([1.2, 1.2, 0.7, 0.7, 1.2, 2][step])
                for instance in instances where instance.effect.name == "contrast" {
                    try instance.set(.float(value), for: "contrast")
                }
                let seconds = Double(step)
                let fused = try #require(
                    bench.draw(instances, seconds: seconds, fused: true))
                let apart = try #require(
                    bench.draw(instances, seconds: seconds, fused: false))
                #expect(fused.distance(to: apart) <= 1, "step \(step)")
            }
        }
    }

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"), arguments: [true, false])
    func `nothing is rounded to 8 bits between effects, fused or separate`(fused: Bool) throws {
        let instances = [try Self.instance("contrast"), try Self.instance("contrast")]
        for (instance, contrast) in zip(instances, [0.03125, 32] as [Float]) {
            try instance.set(.float(contrast), for: "contrast")
            try instance.set(.float(0), for: "pivot")
        }
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let drawn = try #require(bench.draw(instances, fused: fused))
            #expect(drawn.distance(to: bench.source) <= 1)
        }
    }

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"), arguments: [true, false])
    func `values above white survive between effects that accept any range`(fused: Bool) throws {
        let doubled = try Self.instance("contrast")
        try doubled.set(.float(2), for: "contrast")
        try doubled.set(.float(0), for: "pivot")
        let halved = try Self.instance("contrast")
        try halved.set(.float(0.5), for: "contrast")
        try halved.set(.float(0), for: "pivot")
        let cautious = try Self.instance(
            text: "/*{ \"INPUTS\": [{ \"NAME\": \"inputImage\", \"TYPE\": \"image\" }] }*/\n"
                + "void main() { gl_FragColor = vec4(0.5, 0.5, 0.5, 1.0) * "
                + "IMG_THIS_PIXEL(inputImage); }")
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let back = try #require(bench.draw([doubled, halved], fused: fused))
            #expect(back.distance(to: bench.source) <= 1)
            let clipped = try #require(bench.draw([doubled, cautious], fused: fused))
            let most = clipped.bytes.indices.lazy.filter { $0 % 4 != 3 }
                .map { clipped.bytes[$0] }.max()
            #expect(most == 128)
        }
    }

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: [
            "[{ \"TARGET\": \"light\", \"FLOAT\": true }]",
            "[{ \"TARGET\": \"light\", \"FLOAT\": true, \"PERSISTENT\": true, \"WIDTH\": \"2\" }]",
            "[{ \"TARGET\": \"light\", \"FLOAT\": true }, {}]",
        ])
    func `values above white from any pass reach an effect that accepts them`(passes: String) throws
    {
        let bright = try Self.instance(
            text: """
                /*{ "PLAYHEAD": { "RANGE": "any" }, "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }],
                    "PASSES": \(passes) }*/
                void main() {
                    if (PASSINDEX == 1) gl_FragColor = IMG_THIS_PIXEL(light);
                    else gl_FragColor = vec4(1.5, -0.5, 3.0, 1.0);
                }
                """)
        let back = try Self.instance(
            text: """
                /*{ "PLAYHEAD": { "RANGE": "any" }, "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
                void main() {
                    vec4 light = IMG_THIS_PIXEL(inputImage);
                    gl_FragColor = vec4(light.r / 3.0, light.g + 1.0, light.b / 6.0, 1.0);
                }
                """)
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let time = EffectTime(seconds: 0)
            let light = try #require(
                bench.renderer.draw(
                    bright, input: bench.input, width: 4, height: 4, time: time, before: back))
            let drawn = try #require(
                bench.renderer.draw(
                    back, input: light.framebuffer.texture, width: 4, height: 4, time: time))
            #expect(drawn.framebuffer.image().bytes.prefix(4) == [128, 128, 128, 255])
        }
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `names of fused effects do not collide`() throws {
        let first = """
            /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" },
                           { "NAME": "amount", "TYPE": "float", "DEFAULT": 0.5 }] }*/
            #ifdef PLAYHEAD
            #define SCALE 0.5
            #endif
            const float a = 1e-1, b = 0.25;
            float shared_(float x) { return x * SCALE + a; }
            vec4 value;
            void main() {
                value = IMG_THIS_PIXEL(inputImage);
                value.r = shared_(value.r) * amount + b;
                gl_FragColor = value;
            }
            """
        let second = first.replacing("SCALE 0.5", with: "SCALE 0.125").replacing(
            "1e-1", with: "0.3")
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let instances = [
                try Self.instance(text: first), try Self.instance(text: second),
                try Self.instance(text: first),
            ]
            try instances[1].set(.float(0.75), for: "amount")
            let apart = try #require(bench.draw(instances, fused: false))
            let fused = try #require(bench.draw(instances, fused: true))
            #expect(fused.distance(to: apart) <= 1)
            #expect(bench.renderer.takeErrors().isEmpty)
        }
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `if an effect of a chain does not compile, it is reported and the others draw`() throws {
        let broken = try Self.instance(
            text: "/*{ \"INPUTS\": [{ \"NAME\": \"inputImage\", \"TYPE\": \"image\" }] }*/\n"
                + "void main() { gl_FragColor = IMG_THIS_PIXEL(inputImage) * nothing; }")
        let instances = [try Self.instance("contrast"), broken, try Self.instance("vignette")]
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            #expect(bench.draw(instances, fused: true) == nil)
            let alone = bench.renderer.draw(
                broken, input: bench.input, width: 4, height: 4, time: EffectTime(seconds: 0))
            #expect(alone == nil)
            #expect(bench.renderer.takeErrors().count == 1)
        }
    }
}

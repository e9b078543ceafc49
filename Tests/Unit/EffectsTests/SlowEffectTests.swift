// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadEffects
import PlayheadGL
import PlayheadTextures
import Testing

@Suite(
    "Slow effects",
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct SlowEffectTests {
    private static let text = """
        /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }],
            "PASSES": [{ "TARGET": "first" }, {}] }*/
        void main() { gl_FragColor = IMG_THIS_PIXEL(inputImage); }
        """

    @Test func `are bypassed after two frames, reported once, and tried again`() throws {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            // Any duration is too long.
            bench.renderer.passLimit = -1
            var now: Int64 = 0
            bench.renderer.now = { now }
            let instance = EffectInstance(try ISFImporter.effect(text: Self.text, path: "slow.fs"))
            var frames = 0
            while instance.error == nil, frames < 1000 {
                _ = bench.draw([instance], fused: false)
                GLState.finish()
                frames += 1
            }
            #expect((3...20).contains(frames))
            // It stays enabled, but is bypassed.
            #expect(instance.isEnabled)
            #expect(bench.draw([instance], fused: false) == nil)
            guard case .tooSlow("slow", let pass, _) = instance.error else {
                Issue.record("it does not say why: \(String(describing: instance.error))")
                return
            }
            #expect((0...1).contains(pass))
            #expect(bench.renderer.takeErrors().count == 1)
            // After a retry, it is still too slow, without a second report.
            now += 10_000_000_000
            var trials = 0
            while bench.draw([instance], fused: false) != nil, trials < 1000 {
                GLState.finish()
                trials += 1
            }
            #expect((1...10).contains(trials))
            #expect(bench.renderer.takeErrors().isEmpty)
            // The pause has doubled.
            now += 10_000_000_000
            #expect(bench.draw([instance], fused: false) == nil)
            bench.renderer.passLimit = EffectRenderer.interactivePassLimit
            now += 10_000_000_000
            for _ in 0..<10 {
                #expect(bench.draw([instance], fused: false) == bench.source)
                GLState.finish()
            }
            #expect(instance.error == nil)
        }
    }

    @Test func `pass times are reported if they are measured`() throws {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let instance = EffectInstance(try ISFImporter.effect(text: Self.text, path: "two.fs"))
            for _ in 0..<5 { _ = bench.draw([instance], fused: false) }
            #expect(instance.passNanoseconds.isEmpty)
            bench.renderer.measuresPasses = true
            for _ in 0..<5 {
                _ = bench.draw([instance], fused: false)
                GLState.finish()
            }
            #expect(instance.passNanoseconds.count == 2)
        }
    }

    @Test func `the slow effect of a fused chain is found`() throws {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let chain = try ["exposure", "contrast"].map {
                EffectInstance(try EffectLibrary.effect(named: $0))
            }
            bench.renderer.passLimit = -1
            // A bypassed effect is retried, so that not all need be bypassed at once.
            var found: Set<Int> = []
            var frames = 0
            while found.count < chain.count, frames < 1000 {
                found.formUnion(chain.indices.filter { chain[$0].error != nil })
                let rest = chain.filter { $0.error == nil }
                // Effects that fail when combined are drawn one after another, as in layers.
                if bench.draw(rest, fused: true) == nil { _ = bench.draw(rest, fused: false) }
                GLState.finish()
                frames += 1
            }
            #expect(found.count == chain.count)
        }
    }

    @Test func `images that exceed the memory limit are refused`() throws {
        let passes = (0..<12).map {
            "{ \"TARGET\": \"t\($0)\", \"PERSISTENT\": true, \"FLOAT\": true, "
                + "\"WIDTH\": \"8192\", \"HEIGHT\": \"8192\" }"
        }
        let header = "/*{ \"PASSES\": [\(passes.joined(separator: ", ")), {}] }*/"
        let text = header + " void main() { gl_FragColor = vec4(1.0); }"
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let instance = EffectInstance(try ISFImporter.effect(text: text, path: "large.fs"))
            #expect(bench.draw([instance], fused: false) == nil)
            guard case .beyondLimit("large.fs", _, _) = instance.error else {
                Issue.record("it does not say why: \(String(describing: instance.error))")
                return
            }
        }
    }
}

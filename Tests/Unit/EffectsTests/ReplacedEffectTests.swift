// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadTextures
import Testing

@testable import PlayheadEffects

@Suite(
    "Effect replacement",
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ReplacedEffectTests {
    private static func effect(_ header: String, _ body: String) throws -> Effect {
        try ISFImporter.effect(text: "/*{ \(header) }*/\n\(body)", path: "live.fs")
    }

    private static func inputs(_ names: KeyValuePairs<String, Double>) -> String {
        let list = names.map { "{ \"NAME\": \"\($0)\", \"TYPE\": \"float\", \"DEFAULT\": \($1) }" }
        return "\"INPUTS\": [\(list.joined(separator: ", "))]"
    }

    private static func grey(_ value: String) -> String {
        "void main() { gl_FragColor = vec4(vec3(\(value)), 1.0); }"
    }

    /// Draws a pixel, and returns its red.
    private static func drawn(
        _ instance: EffectInstance, _ renderer: EffectRenderer, _ pool: FramebufferPool,
        seconds: Double = 0
    ) -> UInt8? {
        let output = renderer.draw(
            instance, input: nil, width: 2, height: 2, time: EffectTime(seconds: seconds))
        guard let output else { return nil }
        defer { pool.release(output.framebuffer) }
        return output.framebuffer.image().bytes[0]
    }

    private static func withRenderer(
        _ body: (EffectRenderer, FramebufferPool) throws -> Void
    ) throws {
        try GraphicsTest.withContext { context in
            let pool = FramebufferPool(context: context)
            try body(
                EffectRenderer(
                    context: context, painter: PicturePainter(context: context), pool: pool,
                    images: TextureCache(context: context)), pool)
        }
    }

    @Test
    func `set values survive versions without the input, and defaults follow the file`() throws {
        let instance = EffectInstance(
            try Self.effect(Self.inputs(["a": 0.1, "b": 0.2]), Self.grey("a")))
        try instance.set(.float(0.5), for: "a")
        instance.replace(with: try Self.effect(Self.inputs(["b": 0.8]), Self.grey("b")))
        #expect(instance.value(for: "a") == nil)
        #expect(instance.value(for: "b") == .float(0.8))
        instance.replace(with: try Self.effect(Self.inputs(["b": 0.3, "a": 0.4]), Self.grey("a")))
        #expect(instance.value(for: "a") == .float(0.5))
        #expect(instance.value(for: "b") == .float(0.3))
        instance.reset()
        #expect(instance.value(for: "a") == .float(0.4))
    }

    @Test
    func `a version that does not compile is reported once and keeps the old one drawn`() throws {
        try Self.withRenderer { renderer, pool in
            let instance = EffectInstance(
                try Self.effect(Self.inputs(["other": 0, "a": 0.2]), Self.grey("a")))
            try instance.set(.float(0.4), for: "a")
            #expect(Self.drawn(instance, renderer, pool) == 102)
            instance.replace(with: try Self.effect(Self.inputs(["a": 0.2]), Self.grey("nothing")))
            #expect(Self.drawn(instance, renderer, pool) == 102)
            // Values reach the state that continues.
            try instance.set(.float(0.6), for: "a")
            #expect(Self.drawn(instance, renderer, pool) == 153)
            #expect(renderer.takeErrors().count == 1)
            guard case .compilation = instance.error else {
                Issue.record("the instance does not say why")
                return
            }
            instance.replace(
                with: try Self.effect(Self.inputs(["a": 0.2]), Self.grey("a * 0.25")))
            #expect(Self.drawn(instance, renderer, pool) == 38)
            #expect(instance.error == nil)
        }
    }

    @Test func `a new instance at an old address has its own state`() throws {
        try Self.withRenderer { renderer, pool in
            let first = EffectInstance(try Self.effect("", Self.grey("0.5")))
            #expect(Self.drawn(first, renderer, pool) != nil)
            #expect(!renderer.isTimeDependent(first))
            // As if the first had been freed before the second was created.
            let second = EffectInstance(try Self.effect("", Self.grey("TIME")))
            renderer.states[ObjectIdentifier(second)] = renderer.states[ObjectIdentifier(first)]
            #expect(renderer.isTimeDependent(second))
        }
    }

    @Test func `persistent buffers and the frame count survive a replacement`() throws {
        let header = """
            "PASSES": [{ "TARGET": "kept", "PERSISTENT": true, "FLOAT": true }, {}]
            """
        func body(_ shown: String) -> String {
            """
            void main() {
                float last = IMG_THIS_PIXEL(kept).r;
                gl_FragColor = PASSINDEX == 0 ? vec4(last + 0.1) : vec4(vec3(\(shown)), 1.0);
            }
            """
        }
        try Self.withRenderer { renderer, pool in
            let instance = EffectInstance(try Self.effect(header, body("last")))
            for _ in 0..<3 { _ = Self.drawn(instance, renderer, pool) }
            instance.replace(
                with: try Self.effect(header, body("FRAMEINDEX == 3 ? last * 2.0 : 0.0")))
            // Four times a tenth, twice.
            #expect(Self.drawn(instance, renderer, pool) == 204)
        }
    }

    @Test func `replaced effects leave no programs behind`() throws {
        try GraphicsTest.withContext { context in
            let pool = FramebufferPool(context: context)
            let renderer = EffectRenderer(
                context: context, painter: PicturePainter(context: context), pool: pool,
                images: TextureCache(context: context))
            let instance = EffectInstance(try Self.effect("", Self.grey("0.5")))
            _ = Self.drawn(instance, renderer, pool)
            let before = context.deletionQueue.liveCount(.program)
            for round in 0..<200 {
                instance.replace(
                    with: try Self.effect("", Self.grey(round % 2 == 0 ? "wrong" : "0.2")))
                _ = renderer.compile(instance)
                context.deletionQueue.drain()
            }
            _ = Self.drawn(instance, renderer, pool)
            context.deletionQueue.drain()
            #expect(context.deletionQueue.liveCount(.program) == before)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadEffects
import PlayheadTime
import Testing

@Suite("Presets")
struct EffectPresetTests {
    private static let effect = """
        /*{ "INPUTS": [
            { "NAME": "inputImage", "TYPE": "image" },
            { "NAME": "on", "TYPE": "bool", "DEFAULT": false },
            { "NAME": "mode", "TYPE": "long", "DEFAULT": 1, "VALUES": [1, 2, 7],
              "LABELS": ["a", "b", "c"] },
            { "NAME": "amount", "TYPE": "float", "DEFAULT": 0.25 },
            { "NAME": "place", "TYPE": "point2D", "DEFAULT": [0, 0] },
            { "NAME": "tint", "TYPE": "color", "DEFAULT": [0, 0, 0, 1] },
            { "NAME": "table", "TYPE": "image" } ] }*/
        void main() {}
        """

    private static func load(_ name: String) throws(EffectError) -> Effect {
        try ISFImporter.effect(text: effect, path: name)
    }

    private static func chain() throws -> [EffectInstance] {
        let (first, second) = (
            EffectInstance(try load("lib/one.fs")), EffectInstance(try load("two.fs"))
        )
        try first.set(.bool(true), for: "on")
        try first.set(.long(7), for: "mode")
        try first.set(.float(0.1), for: "amount")
        try first.set(.point2D([0.125, -3]), for: "place")
        try first.set(.color([0.1, 0.2, 0.3, 0.4]), for: "tint")
        second.isEnabled = false
        try second.set(
            EffectAnimation([
                .init(at: .zero, .float(0), .smooth),
                .init(at: MediaTime(value: 1001, timescale: 30_000), .float(1.5)),
            ]), for: "amount")
        return [first, second]
    }

    @Test("what is written is read again, all values and keyframes to the bit")
    func roundTrip() throws {
        let preset = EffectPreset(of: try Self.chain(), name: "A \"good\"\tone\\")
        let read = try EffectPreset(json: preset.json, path: "preset.json")
        #expect(read.name == preset.name)
        #expect(read.json == preset.json)
        let made = try read.makeInstances(load: Self.load)
        #expect(made.count == 2)
        for (left, right) in zip(made, try Self.chain()) {
            #expect(left.isEnabled == right.isEnabled)
            for input in left.effect.inputs {
                #expect(left.value(for: input.name) == right.value(for: input.name))
                #expect(left.animation(for: input.name) == right.animation(for: input.name))
            }
        }
        #expect(!preset.json.contains("\"on\": false"))
    }

    @Test("built-in effects go by their names")
    func builtIn() throws {
        let instance = EffectInstance(try EffectLibrary.effect(named: "vignette"))
        #expect(EffectPreset(of: [instance]).entries[0].effect == "vignette")
    }

    @Test("strings say of inputs what a command line says")
    func words() throws {
        func made(_ values: String) throws -> EffectInstance {
            let preset = try EffectPreset(
                json: "{ \"effects\": [ { \"effect\": \"one.fs\", \"values\": { \(values) } } ] }",
                path: "p.json")
            return try #require(try preset.makeInstances(load: Self.load).first)
        }
        let instance = try made(
            #""mode": "C", "amount": "0.5", "on": "yes", "place": "1, 2", "tint": "1,0,0""#)
        #expect(instance.value(for: "mode") == .long(7))
        #expect(instance.value(for: "amount") == .float(0.5))
        #expect(instance.value(for: "on") == .bool(true))
        #expect(instance.value(for: "place") == .point2D([1, 2]))
        #expect(instance.value(for: "tint") == .color([1, 0, 0, 1]))
        #expect(
            throws: EffectError.wrongType(effect: "one", input: "mode", expected: .long)
        ) { try made(#""mode": "d""#) }
    }

    @Test("paths are relative to the preset; strings are colours or pictures")
    func paths() throws {
        let preset = try EffectPreset(
            json: """
                { "effects": [ { "effect": "one.fs", "values": {
                    "tint": "#ff8000", "table": "look.png" } } ] }
                """, path: "/presets/look.json")
        var asked: [String] = []
        struct Missing: Error {}
        #expect(throws: EffectError.self) {
            _ = try preset.makeInstances(readPicture: { path in
                asked.append(path)
                throw Missing()
            }) { name throws(EffectError) in
                asked.append(name)
                return try Self.load(name)
            }
        }
        #expect(asked == ["/presets/one.fs", "/presets/look.png"])
        let made = try preset.makeInstances(load: Self.load)
        #expect(made[0].value(for: "tint") == .color([1, Float(128) / 255, 0, 1]))
    }

    @Test(
        "a chain is set to a preset by names, and what the preset does not name is at its default")
    func apply() throws {
        let chain = try Self.chain()
        let preset = try EffectPreset(
            json: """
                { "effects": [ { "effect": "elsewhere/two.fs", "values": { "mode": 2 } },
                    { "effect": "three.fs" } ] }
                """, path: "p.json")
        try preset.apply(to: chain)
        #expect(chain[0].value(for: "mode") == .long(7))
        #expect(chain[1].value(for: "mode") == .long(2))
        #expect(chain[1].animation(for: "amount") == nil)
        #expect(chain[1].isEnabled)
    }

    @Test(
        "what is no preset is told with the line",
        arguments: [
            ("{\n \"effects\": [,] }", 2), ("{}", 1), ("{ \"effects\": [ {} ] }", 1),
            ("{ \"effects\": [ { \"effect\": \"a\",\n \"values\": {\n \"x\": [1] } } ] }", 3),
            (
                "{ \"effects\": [ { \"effect\": \"a\", \"keyframes\": {\n"
                    + "\"x\": [ { \"time\": 1 } ] } } ] }", 2
            ),
        ])
    func malformed(text: String, line: Int) {
        #expect {
            try EffectPreset(json: text, path: "p.json")
        } throws: { error in
            guard case EffectError.malformedHeader("p.json", line, _, _) = error else {
                return false
            }
            return true
        }
    }

    @Test("inputs that the effect lacks, and values of the wrong kind, are refused by name")
    func wrong() throws {
        for text in ["{ \"nothing\": 1 }", "{ \"tint\": [1, 2] }", "{ \"amount\": true }"] {
            let preset = try EffectPreset(
                json: "{ \"effects\": [ { \"effect\": \"a.fs\", \"values\": \(text) } ] }",
                path: "p.json")
            #expect(throws: EffectError.self) { try preset.makeInstances(load: Self.load) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadBuffers
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

    @Test func `a preset round-trips all values and keyframes exactly`() throws {
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

    @Test func `assignments round-trip, even with labels that are other items' numbers`() throws {
        let text = """
            /*{ "INPUTS": [ { "NAME": "sides", "TYPE": "long", "VALUES": [0, 1, 2],
                "LABELS": ["2", "1", "four"] } ] }*/
            void main() {}
            """
        for (number, assignment) in [(Int32(1), "sides=1"), (2, "sides=four"), (7, "sides=7")] {
            let instance = EffectInstance(try ISFImporter.effect(text: text, path: "a.fs"))
            try instance.set(.long(number), for: "sides")
            #expect(instance.assignments == [assignment])
            try instance.set(parsing: String(assignment.dropFirst(6)), for: "sides")
            #expect(instance.value(for: "sides") == .long(number))
        }
    }

    @Test func `built-in effects are named in a preset`() throws {
        let instance = EffectInstance(try EffectLibrary.effect(named: "vignette"))
        #expect(EffectPreset(of: [instance]).entries[0].effect == "vignette")
    }

    @Test func `strings in a preset are parsed as on the command line`() throws {
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
        #expect {
            try made(#""mode": "d""#)
        } throws: { error in
            "\(error)".hasPrefix("p.json:1: error: input 'mode' of effect 'one' takes a number")
        }
    }

    @Test func `paths are relative to the preset, and strings are colours or images`() throws {
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

    @Test func `a preset sets a chain by name, and other inputs to their defaults`() throws {
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

    @Test(arguments: [
        ("{\n \"effects\": [,] }", 2), ("{}", 1), ("{ \"effects\": [ {} ] }", 1),
        ("{ \"effects\": [ { \"effect\": \"a\",\n \"values\": {\n \"x\": [1] } } ] }", 3),
        (
            "{ \"effects\": [ { \"effect\": \"a\", \"keyframes\": {\n"
                + "\"x\": [ { \"time\": 1 } ] } } ] }", 2
        ),
        ("{ \"effects\": [],\n\"title\": \"x\" }", 2),
        ("{ \"effects\": [ { \"effect\": \"a\",\n \"value\": { \"x\": 1 } } ] }", 2),
        ("{ \"effects\": [ { \"effect\": \"a\",\n \"enabled\": \"maybe\" } ] }", 2),
        ("{ \"effects\": [ { \"effect\": \"a\",\n \"values\": [1] } ] }", 2),
        ("{ \"effects\": [ { \"effect\": \"a\",\n \"keyframes\": [] } ] }", 2),
    ])
    func `text that is not a preset is reported with its line`(text: String, line: Int) {
        #expect {
            try EffectPreset(json: text, path: "p.json")
        } throws: { error in
            guard case EffectError.malformedHeader("p.json", line, _, _) = error else {
                return false
            }
            return true
        }
    }

    @Test
    func `unknown inputs and values of the wrong type are reported with their lines`() throws {
        for text in ["\"nothing\": 1", "\"tint\": [1, 2]", "\"amount\": true"] {
            let preset = try EffectPreset(
                json: "{ \"effects\": [ { \"effect\": \"a.fs\", \"values\": {\n\(text) } } ] }",
                path: "p.json")
            #expect {
                try preset.makeInstances(load: Self.load)
            } throws: { error in
                guard case .malformedHeader("p.json", 2, nil, _) = error as? EffectError else {
                    return false
                }
                return true
            }
        }
    }

    /// Effects with equal names, with values of equal names: each error is in one of the last.
    private static let twice = """
        {
          "name": "amount",
          "effects": [
            { "effect": "a.fs",
              "values": { "amount": 0.5, "tint": [1, 0, 0],
                          "mode": "a" } },
            { "effect": "a.fs",
              "values": {
                "tint": [1, 1, 1],
                "amount": LAST
              },
              "keyframes": {
                "place": [
                  { "time": 0, "value": [0, 0] },
                  { "time": 1, "value": [0, 0], "then": "THEN" }
                ]
              } }
          ]
        }
        """

    @Test func `of equal effects or values, the line of the wrong one is reported`() throws {
        func line(last: String = "1", then: String = "hold") throws -> Int? {
            let text = Self.twice.replacing("LAST", with: last).replacing("THEN", with: then)
            do {
                let preset = try EffectPreset(json: text, path: "p.json")
                _ = try preset.makeInstances(load: Self.load)
            } catch EffectError.malformedHeader("p.json", let line, nil, _) {
                return line
            }
            return nil
        }
        #expect(try line() == nil)
        #expect(try line(last: "[1, 2]") == 10)
        #expect(try line(last: "{}") == 10)
        #expect(try line(then: "never") == 15)
    }

    @Test func `the first error in the text is reported, even if entries were moved`() throws {
        let text = """
            { "effects": [
              { "effect": "z.fs", "values": { "zoom": 1, "apple": 2 } },
              { "effect": "a.fs", "values": {
                "zoom": 1,
                "apple": 2 } } ] }
            """
        var preset = try EffectPreset(json: text, path: "p.json")
        func line() -> Int? {
            do {
                _ = try preset.makeInstances(load: Self.load)
            } catch EffectError.malformedHeader("p.json", let line, nil, _) {
                return line
            } catch {}
            return nil
        }
        #expect(line() == 2)
        preset.entries.removeFirst()
        #expect(line() == 4)
        preset.entries[0].values["zoom"] = nil
        #expect(line() == 5)
    }

    @Test func `a preset with an error sets nothing`() throws {
        let chain = try Self.chain()
        let before = EffectPreset(of: chain)
        let preset = try EffectPreset(
            json: """
                { "effects": [
                  { "effect": "one.fs", "values": { "amount": 0.9, "mode": "a" } },
                  { "effect": "two.fs", "values": { "amout": 1 } } ] }
                """, path: "p.json")
        #expect(throws: EffectError.self) { try preset.apply(to: chain) }
        #expect(EffectPreset(of: chain) == before)
    }

    @Test
    func `effects and images that cannot be read are reported with the preset's line`() throws {
        struct Missing: Error, CustomStringConvertible { let description = "gone" }
        let text = """
            { "effects": [
              { "effect": "one.fs", "values": { "amount": 1,
                "table": "look.png" } },
              { "effect": "two.fs" } ] }
            """
        let preset = try EffectPreset(json: text, path: "looks/p.json")
        #expect {
            try preset.makeInstances { name throws(EffectError) in
                guard name == "looks/one.fs" else { throw .unreadable(path: name, reason: "gone") }
                return try Self.load(name)
            }
        } throws: { error in
            "\(error)" == "looks/p.json:4: error: 'looks/two.fs' cannot be read: gone"
        }
        #expect {
            try preset.makeInstances(readPicture: { _ in throw Missing() }, load: Self.load)
        } throws: { error in
            "\(error)" == "looks/p.json:3: error: 'looks/look.png' cannot be read: gone"
        }
    }

    @Test func `images from files are kept in assignments and presets`() throws {
        let preset = try EffectPreset(
            json: """
                { "effects": [ { "effect": "one.fs", "values": { "table": "warm" } } ] }
                """, path: "looks/p.json")
        var read: [String] = []
        let picture = PixelBuffer(format: .gray8, width: 1, height: 1) { _, bytes, _ in
            bytes[0] = 90
        }
        let instances = try preset.makeInstances(
            readPicture: { path in
                read.append(path)
                return picture
            }, load: Self.load)
        #expect(read == ["looks/warm"])
        #expect(instances[0].assignments == ["table=looks/warm"])
        #expect(EffectPreset(of: instances).entries[0].pictures == ["table": "looks/warm"])
        // An image without a source has no path.
        let other = PixelBuffer(format: .gray8, width: 1, height: 1) { _, bytes, _ in bytes[0] = 9 }
        try instances[0].set(.image(other), for: "table")
        #expect(instances[0].assignments.isEmpty)
        try instances[0].set(picture, readFrom: "b.png", for: "table")
        instances[0].reset()
        #expect(EffectPreset(of: instances).entries[0].pictures.isEmpty)
    }
}

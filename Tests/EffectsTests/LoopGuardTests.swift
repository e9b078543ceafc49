// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import Testing

@Suite("Loops of effects end")
struct LoopGuardTests {
    private static func effect(_ body: String, functions: String = "") throws -> Effect {
        try ISFImporter.effect(
            text: "/*{ \"INPUTS\": [{ \"NAME\": \"limit\", \"TYPE\": \"float\", "
                + "\"DEFAULT\": 7 }] }*/\n"
                + "\(functions)\nvoid main() {\n    float turns = 0.0;\n    \(body)\n"
                + "    gl_FragColor = vec4(floor(turns / 256.0), mod(turns, 256.0), 0.0, 255.0) / 255.0;"
                + "\n}",
            path: "loops.fs")
    }

    /// How often the loops of an effect have turned, by its own count.
    private static func turns(_ effect: Effect) throws -> Int {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let drawn = try #require(bench.draw([EffectInstance(effect)], fused: false))
            return Int(drawn.bytes[0]) * 256 + Int(drawn.bytes[1])
        }
    }

    @Test(
        "those that would not end, do, after as many turns together",
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: [
            "while (true) turns += 1.0;", "for (;;) { turns += 1.0; }",
            "for (float i = 0.0; ; i++) turns += 1.0;",
            "for (int i = 0; i < 10; i++) { turns += 1.0; i--; }",
            "for (int i = 0; i < 10; i++) { turns += 1.0; i = /* again */ 0; }",
            "for (int i = 0; i < 10; i++) { turns += 1.0; AGAIN; }",
            "for (int i = 0; i < 10; i++) { turns += 1.0; back(i); }",
            "for (int i = 0; i < 10; i++) { turns += 1.0; LATER }",
            "for (int i = 0; i < 10; i--) turns += 1.0;",
            "for (int i = 0; i > -1; i++) turns += 1.0;",
            "for (int i = 0; i != 11; i += 2) turns += 1.0;",
            "do { turns += 1.0; } while (limit > 0.0);",
            "while (turns < 100.0) turns += 1.0; while (limit > 0.0) { turns += 1.0; }",
        ])
    func endless(body: String) throws {
        // Only what it uses, for what changes a variable somewhere counts everywhere.
        let functions = [
            "AGAIN": "#define AGAIN i -= 1\n", "LATER": "#define LATER \\\n    i = 0;\n",
            "back": "void back(inout int count) { count--; }\n",
        ].filter { body.contains($0.key) }.values.joined()
        let effect = try Self.effect(body, functions: functions)
        #expect((16_383...16_384).contains(try Self.turns(effect)))
    }

    @Test(
        "those that end by themselves turn as often as they say",
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: [
            ("for (float i = 0.0; i < limit; i++) turns += 1.0;", 7),
            ("for (int i = 12; i != 0; i -= 2) turns += 1.0;", 6),
            ("for (int i = 0; i < 300; i++) for (int j = 0; j < 100; j++) turns += 1.0;", 30_000),
            (
                "for (int y = 0; y < int(limit) * 10; y++) for (int x = 0; x <= y; x++) turns++;",
                2485
            ),
            ("while (turns < limit) { turns += 1.0; if (turns == 5.0) break; }", 5),
            ("int i = 0; do { turns += 1.0; } while (++i < 4);", 4),
        ])
    func ending(body: String, expected: Int) throws {
        #expect(try Self.turns(Self.effect(body)) == expected)
    }

    @Test("those that stand in the text with far too many turns are refused at their line")
    func excessive() throws {
        #expect(throws: EffectError.self) {
            try Self.effect("for (int i = 0; i < 1000000; i++) turns += 1.0;")
        }
        // As many as are allowed, or not: which one holds depends on more than is read.
        _ = try Self.effect(
            "for (int i = 0; i < COUNT; i++) turns += 1.0;",
            functions: "#ifdef GL_ES\n#define COUNT 16\n#else\n#define COUNT 64\n#endif")
    }
}

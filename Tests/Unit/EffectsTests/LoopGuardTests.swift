// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import Testing

@testable import PlayheadEffects

@Suite("Loop limits of effects")
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

    /// Returns the number of iterations of an effect's loops, by its own count.
    private static func turns(_ effect: Effect) throws -> Int {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let drawn = try #require(bench.draw([EffectInstance(effect)], fused: false))
            return Int(drawn.bytes[0]) * 256 + Int(drawn.bytes[1])
        }
    }

    @Test(
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
            // Numbers that wrap around, or do not change.
            "for (uint i = 5u; i >= 0u; i--) turns += 1.0;",
            "for (int i = 0; i < 2147483647; i += 1000000) turns += 1.0;",
            "for (float i = 1e5; i < 100100.; i += .001) turns += 1.0;",
            "for (int i = 0x80000000; i < 0; i++) turns += 1.0;",
            "for (int i = 0xFFFC0000; i < 10; i++) turns += 1.0;",
            "for (int i = 4294705152; i < 10; i++) turns += 1.0;",
            "for (int i = 10; i > 0xFFFC0000; i--) turns += 1.0;",
            "for (float i = float(0x80000000); i < 0.0; i += 256.0) turns += 1.0;",
            "const uint five = 5u; for (float i = 0.0; i < float(-five); i += 512.0) turns += 1.0;",
            "uint i; for (i = uint(5.0); i >= 0u; i--) turns += 1.0;",
            // Constants of another function.
            "int count = int(limit) * 10000; for (int i = 0; i < count; i++) turns += 1.0;",
            // Bodies without braces, which end after the first semicolon.
            "for (int i = 0; i < 10; i++) if (limit < 0.0) turns = 0.0; else turns += 1.0, i = 0;",
            "for (int i = 0; i < 10; i++) do { turns += 1.0; i = 0; } while (limit < 0.0);",
            "for (int i = 0; i < 10; i++) if (limit < 0.0) turns = 0.0; OTHERWISE turns += 1.0, i = 0;",
            "for (int i = 0; i < 10; i++) {\n#if 0\n}\n#endif\n turns += 1.0; i = 0; }",
            // Changes that are written in other ways.
            "for (int i = 0; i < 10; i++) { turns += 1.0; (i) = 0; }",
            "for (int i = 0; i < 10; i++) { turns += 1.0; i BECOMES 0; }",
            "for (int i = 0; i < 10; i++) { turns += 1.0; CLEAR(i); }",
            "for (int i = 0; i < 10; i++) { turns += 1.0; same = 0; }",
            "for (float i = 0.0; i < 10.0; i++) { turns += 1.0; modf(0.5, i); }",
            "for (shared_i = 0; shared_i < 10; shared_i++) { turns += 1.0; begin(); }",
            // Conditions that declare a variable, or hide their declaration.
            "while (bool goesOn = limit > 0.0) turns += 1.0;",
            "for (; bool goesOn = limit > 0.0 || limit < 1.0;) turns += 1.0;",
            // Keywords that are written in other ways.
            "wh\\\nile (true) turns += 1.0;", "FOREVER turns += 1.0;",
        ])
    func `endless loops end after a common number of iterations`(body: String) throws {
        // Only the functions used, since a change of a variable anywhere counts everywhere.
        let functions = [
            "AGAIN": "#define AGAIN i -= 1\n", "LATER": "#define LATER \\\n    i = 0;\n",
            "back": "void back(inout int count) { count--; }\n",
            "count =": "int eight() { const int count = 8; return count; }\n",
            "OTHERWISE": "#define OTHERWISE else\n", "BECOMES": "#define BECOMES =\n",
            "CLEAR": "#define CLEAR(value) value = 0\n", "same": "#define same i\n",
            "begin": "int shared_i; void begin() { shared_i = 0; }\n",
            "FOREVER": "#define FOREVER for (;;)\n",
        ].filter { body.contains($0.key) }.values.joined()
        let effect = try Self.effect(body, functions: functions)
        #expect((16_383...16_384).contains(try Self.turns(effect)))
    }

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: [
            ("for (float i = 0.0; i < limit; i++) turns += 1.0;", 7),
            ("for (int i = 12; i != 0; i -= 2) turns += 1.0;", 6),
            ("for (int i = 0; i < 300; i++) for (int j = 0; j < 100; j++) turns += 1.0;", 30_000),
            (
                "for (int y = 0; y < int(limit) * 10; y++) for (int x = 0; x <= y; x++) turns++;",
                2485
            ),
            ("for (int i = 010; i < 0x1A; i++) turns += 1.0;", 18),
            ("for (float i = 08.0; i < 010.; i++) turns += 1.0;", 2),
            ("for (uint i = 4294967290u; i < 0xFFFFFFFFu; i++) turns += 1.0;", 5),
            ("while (turns < limit) { turns += 1.0; if (turns == 5.0) break; }", 5),
            ("int i = 0; do { turns += 1.0; } while (++i < 4);", 4),
            ("while (bool goesOn = turns < limit) turns += 1.0;", 7),
            ("for (int i = 0; bool goesOn = i < 4; i++) turns += 1.0;", 4),
            ("for (int i = 1; i <= 7; i += 2) turns += 1.0;", 4),
            ("for (int i = 30000; i > 0; i--) { turns += float((i) == (i)); }", 30_000),
            (
                "for (int i = 0; i < 30000; i++) if (i < 0) turns = 0.0; else turns += 1.0;",
                30_000
            ),
            ("const int most = 30000; for (int i = 0; i < most; i++) turns += 1.0;", 30_000),
            (
                "for (int i = 0; i < 30000; i++) {\n#ifdef NEVER\n    turns = 0.0;\n#else\n"
                    + "    turns += 1.0;\n#endif\n}", 30_000
            ),
        ])
    func `finite loops run in full`(body: String, expected: Int)
        throws
    {
        #expect(try Self.turns(Self.effect(body)) == expected)
    }

    @Test func `loops with far too many iterations are refused at their line`() throws {
        #expect(throws: EffectError.self) {
            try Self.effect("for (int i = 0; i < 1000000; i++) turns += 1.0;")
        }
        // The promised maximum, and one more.
        _ = try Self.effect(
            "for (int i = 0; i < 512; i++) for (int j = 512; j > 0; j--) turns += 1.0;")
        #expect(throws: EffectError.self) {
            try Self.effect(
                "for (int i = 0; i < 512; i++) for (int j = 0; j <= 512; j++) turns += 1.0;")
        }
        // 0777777 is 262,143.
        #expect(throws: EffectError.self) {
            try Self.effect("for (int i = -0777777; i < 0777777; i++) turns += 1.0;")
        }
        #expect(throws: EffectError.self) {
            try Self.effect("for (int i = 0777777; i < 777778; i++) turns += 1.0;")
        }
        // The allowed maximum, or not: the result depends on more than is read.
        _ = try Self.effect(
            "for (int i = 0; i < COUNT; i++) turns += 1.0;",
            functions: "#ifdef GL_ES\n#define COUNT 16\n#else\n#define COUNT 64\n#endif")
    }

    @Test func `loops of functions count at each call, also through macros`() throws {
        func functions(_ count: Int) -> String {
            """
            float a() { float t = 0.0; for (int i = 0; i < \(count); i++) t++; return t; }
            float b() { float t = 0.0; for (int i = 0; i < \(count); i++) t += a(); return t; }
            #define MANY b()
            """
        }
        for call in ["b()", "MANY"] {
            #expect(throws: EffectError.self) {
                try Self.effect(
                    "for (int i = 0; i < 4096; i++) turns += \(call);", functions: functions(4096))
            }
            _ = try Self.effect(
                "for (int i = 0; i < 30; i++) turns += \(call);", functions: functions(30))
        }
    }

    @Test
    func `a float loop that may miss its limit is not counted, but an integer loop is`() throws {
        // Compilers may take such a loop for a finite one, so the text decides.
        func isGuarded(_ body: String) throws -> Bool {
            let text = EffectSource(effect: try Self.effect(body), shader: 0).fragment
            return ShaderText.firstRange(of: ") && playheadGoesOn()", in: text) != nil
        }
        #expect(try isGuarded("for (float i = 0.; i != 1.; i += .1) turns += 1.0;"))
        #expect(try !isGuarded("for (float i = 0.; i != 8.; i += 2.) turns += 1.0;"))
    }

    @Test(arguments: [
        ("FOREVER (;;) turns += 1.0;", "#define FOREVER for"),
        ("for (HEAD) turns += 1.0;", "#define HEAD ;true;"),
        ("while OPEN true) turns += 1.0;", "#define OPEN ("),
        ("#if 0\n#else\nFOREVER (;;) turns += 1.0;\n#endif", "#define FOREVER for"),
        ("// \\\n#if 0\nfor once;\n#endif", ""),
        // For compilers, a comment is a space, however many lines it has.
        ("#if 0 /*\n*/ || 1\nFOREVER (;;) turns += 1.0;\n#endif", "#define FOREVER for"),
        (
            "NEVER; FOREVER (;;) turns += 1.0;",
            "#define NEVER /*\n#if 0\n*/\n#define FOREVER for"
        ),
        // Macros that end the condition, followed by ours.
        ("while (M) turns += 1.0;", "#define M true) || (true"),
        ("UNTIL(M)", "#define M true) || (true\n#define UNTIL(c) while (c) turns += 1.0;"),
        // Resets the count.
        ("while (true) { turns += 1.0; playheadTurns = 0; }", ""),
        ("while (true) turns += 1.0;", "#define playheadGoesOn() true"),
        ("while (true) { turns += 1.0; AGAIN = 0; }", "#define AGAIN playheadTurns"),
        (
            "while (true) { turns += 1.0; JOIN(playhead, Turns) = 0; }",
            "#define JOIN(a, b) a##b"
        ),
        // As many loops, but different ones if lines are joined first.
        ("// \\\nfor (;;);\n/* *\\\n/ while (true); /* */", ""),
        ("while (true // \\\n && false)\n)) turns += 1.0;", ""),
    ])
    func `text that may be a loop but cannot be analysed is refused`(body: String, macro: String)
        throws
    {
        #expect(throws: EffectError.self) { try Self.effect(body, functions: macro) }
    }

    @Test func `preprocessor words and other names are not loops`() throws {
        _ = try Self.effect(
            "int for_each = 1;",
            functions: "#pragma for\n#ifdef NEVER\n#error while\n#endif\n#define before_while 1")
        _ = try Self.effect(
            "while (turns < 1.0) turns += 1.0; // \\o/ \\\n// so it is",
            functions: "#define ONE /* the\nfirst */\n#define OPEN {\n#define CLOSE }")
        _ = try Self.effect(
            "#if 0\nthis is for testing only\n#if 1\nfor\n#else\nwhile\n#endif\nfor\n#endif")
    }

    @Test func `a macro in a declared condition does not bypass the limit`() throws {
        func text(_ macro: String) throws -> String {
            let effect = try Self.effect("while (bool g = true) turns += 1.0;", functions: macro)
            return EffectSource(effect: effect, shader: 0).fragment
        }
        #expect(try text("").contains("bool g =( true) && playheadGoesOn()"))
        for macro in ["#define bool true ? true :", "#define g h = true ? true : k"] {
            #expect(try text(macro).contains("(bool g = true) && playheadGoesOn()"))
        }
    }

    @Test func `a problem that only shows across files is refused where it is included`() throws {
        let folder = TemporaryFolder()
        try folder.write("\n#define M true) || (true\n", to: "parts.glsl")
        let path = try folder.write(
            "/*{}*/\n#include \"parts.glsl\"\nvoid main() { while (M); }\n", to: "whole.fs")
        #expect {
            try EffectLibrary.effect(path: path)
        } throws: { error in
            guard case .beyondLimit(let file, 2, _) = error as? EffectError else { return false }
            return file.hasSuffix("parts.glsl")
        }
    }

    @Test func `long chains of statements and deep loops are analysed`() throws {
        _ = try Self.effect(
            "for (; limit < 0.0;) " + String(repeating: "if(1<0)", count: 60_000) + ";")
        _ = try Self.effect(String(repeating: "for (; limit < 0.0;) ", count: 990) + ";")
    }

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: [
            "for (int i = 0; i < 10; i++) { turns += 1.0; AGAIN; }",
            "for (int i = 0; i < 10; i++) { turns += 1.0; back(i); }",
            "int count = int(limit) * 10000; for (int i = 0; i < count; i++) turns += 1.0;",
            "for (int i = 0; i < 4096; i++) turns += many();",
        ])
    func `definitions in an included file apply in the including file`(body: String) throws {
        let folder = TemporaryFolder()
        try folder.write(
            """
            #define AGAIN i = 0
            void back(inout int value) { value = 0; }
            const int count = 8;
            float many() { float t = 0.0; for (int i = 0; i < 4096; i++) t++; return t; }
            """, to: "parts.glsl")
        let path = try folder.write(
            """
            /*{ "INPUTS": [{ "NAME": "limit", "TYPE": "float", "DEFAULT": 7 }] }*/
            #include "parts.glsl"
            void main() {
                float turns = 0.0;
                \(body)
                gl_FragColor = vec4(floor(turns / 256.0), mod(turns, 256.0), 0.0, 255.0) / 255.0;
            }
            """, to: "loops.fs")
        #expect((16_000...16_384).contains(try Self.turns(EffectLibrary.effect(path: path))))
    }
}

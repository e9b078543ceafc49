// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects
import Testing

@Suite("Depth and length limits of shaders")
struct ShaderExtentTests {
    private static func repeated(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
    }

    private static func effect(_ body: String, _ functions: String = "") throws -> Effect {
        try ISFImporter.effect(
            text: "/*{}*/ \(functions)\nvoid main() { float a = TIME;\n\(body)\n}", path: "deep.fs")
    }

    private static let doubled = (1...40).map { "#define M\($0) (M\($0 - 1) + M\($0 - 1))\n" }
        .joined()

    @Test(arguments: [
        ("TWICE(MANY, a)", "#define TWICE(F, x) F(F(x))"),
        ("TWICE(MORE, a)", "#define MORE MANY\n#define TWICE(F, x) F(F(x))"),
        ("ID(MANY)(ID(MANY)(a))", "#define ID(F) F"),
        (
            "ID(MANY OPEN ID(MANY OPEN a)))",
            "#define OPEN (\n#define ID(x) x"
        ),
        ("TWICE(a)", "#define JOINED(x) MA ## NY(x)\n#define TWICE(x) JOINED(JOINED(x))"),
    ])
    func `macros called by another name expand by the same amount`(call: String, macros: String) {
        #expect {
            try Self.effect(
                "a = \(call);", "\n#define MANY(x) \(Self.repeated("x ", 1900))\n\(macros)\n")
        } throws: { error in
            guard case .beyondLimit("deep.fs", _?, _) = error as? EffectError else { return false }
            return true
        }
    }

    @Test(arguments: [
        ("a = " + repeated("(", 200_000) + "1.0" + repeated(")", 200_000) + ";", ""),
        ("a = " + repeated("(", 200_000), ""), (repeated("{", 5000) + repeated("}", 5000), ""),
        ("a = a" + repeated(" + a", 90_000) + ";", ""),
        ("a = " + repeated("- ", 5000) + "a;", ""),
        ("vec4 v = vec4(a); v = v" + repeated(".xyzw", 90_000) + ";", ""),
        ("a = " + repeated("abs(", 3000) + "a" + repeated(")", 3000) + ";", ""),
        ("a = " + repeated("(a + ", 800) + "a" + repeated(")", 800) + ";", ""),
        ("float b[] = float[](" + repeated("1.0, ", 16_000) + "1.0);", ""),
        ("a" + repeated(", a", 80_000) + ";", ""),
        // By macros.
        ("a = a ADD;", "\n#define ADD \(repeated("+ a ", 2000))\n"),
        ("a = M40;", "\n#define M0 a\n" + doubled),
        (
            "a = " + repeated("TWICE(", 40) + "a" + repeated(")", 40) + ";",
            "\n#define TWICE(x) (x + x)\n"
        ),
        (
            "a = " + repeated("DOUBLE(", 40) + "a" + repeated(")", 40) + ";",
            "\n#define TWICE(x) (x + x)\n#define DOUBLE TWICE\n"
        ),
        (
            "a = A0;",
            "\n"
                + (0..<12).map { one in
                    "#define A\(one) " + (0..<12).map { "A\($0) " }.joined() + "\n"
                }.joined()
        ),
        (
            "a = A4000;",
            "\n#define A0 a\n" + (1...4000).map { "#define A\($0) A\($0 - 1)\n" }.joined()
        ),
    ])
    func `a shader that is too deep or too long is refused at its line`(
        body: String, functions: String
    ) {
        #expect {
            try Self.effect(body, functions)
        } throws: { error in
            guard case .beyondLimit("deep.fs", let line?, _) = error as? EffectError else {
                return false
            }
            return line > 1
        }
    }

    @Test func `too many declarations outside of functions are refused`() {
        for text in [
            (0..<30_000).map { "const int m\($0)=1;\n" }.joined(),
            "int " + (0..<60_000).map { "m\($0)=1," }.joined() + "m;",
            (0..<10_000).map { "struct s\($0) { int a; };\n" }.joined(),
        ] {
            #expect(throws: EffectError.self) { try Self.effect("", "\n" + text) }
        }
    }

    /// Macros called by macros, each of which calls another one.
    private static let lists =
        "#define EACH(F) F(0) F(1) F(2)\n"
        + (0..<20).map { "#define ADD\($0)(x) a += float(x);\n#define ALL\($0) EACH(ADD\($0))\n" }
        .joined()

    @Test func `long but reasonable shaders are accepted`() throws {
        _ = try Self.effect(
            "a = a" + Self.repeated(" + a * (a - 1.0)", 250) + ";\n"
                + Self.repeated("a = max(a, SQUARE(SQUARE(a)));\n", 5000)
                + "float b[] = float[](" + Self.repeated("1.0, ", 2000) + "1.0);"
                + Self.repeated("if (a > 0.0) a -= 1.0; else ", 300) + "a = 0.0;",
            "\n#define SQUARE(x) ((x) * (x))\n#define sin sin\n" + Self.lists
                + Self.repeated("float f(float x, float y) { return x + y; }\n", 1000))
    }
}

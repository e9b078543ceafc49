// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import Testing

@testable import PlayheadEffects

@Suite("Size limits of arrays in effects")
struct ArraySizeTests {
    private static func effect(_ text: String) throws -> Effect {
        try ISFImporter.effect(text: "/*{}*/\n\(text)\nvoid main() {}", path: "arrays.fs")
    }

    private static func isRefused(_ error: any Error, line: Int) -> Bool {
        guard case .beyondLimit("arrays.fs", line, _) = error as? EffectError else { return false }
        return true
    }

    @Test(arguments: [
        "float a[20000];", "float a[ 20000u ];", "float a[0x4E20];", "float a[047040];",
        "float a[200*100];", "float a[(1 << 14) + 1];", "float a[40000 / 2];",
        "float a[1 > 0 ? 20000 : 1];", "float a[int(2e4)];", "float a[max(3, 20000)];",
        "float[20000] a;", "float f(float a[20000]);", "float f(in float a[2 * 9000]);",
        "float x, a[20000];",
        "const int N = 20000; float a[N];", "const int M = 200, N = M * M; float a[N];",
        "struct S { float x; }; S a[20000];", "float f() { return float[20000](1.0)[0]; }",
        "float b[200]; float a[b.length() * 100];", "float a[-1u];", "float a[1u - 2u];",
        "float a[gl_MaxVertexAttribs * 20000];",
    ])
    func `an array that is too large is refused at its line, however its size is written`(
        declaration: String
    ) {
        #expect {
            try Self.effect(declaration)
        } throws: {
            Self.isRefused($0, line: 2)
        }
    }

    @Test func `arrays are checked in both readings of ambiguous comments`() {
        for text in ["/* *\\\n/ float a[20000]; /* */", "// \\\nfloat a[20000];"] {
            #expect(throws: EffectError.self) { try Self.effect(text) }
        }
    }

    @Test(arguments: [
        "#define N 20000", "#define M 100\n#define N (2 * M * M)",
        "#define N SQUARE(200)\n#define SQUARE(x) ((x) * (x))",
        "#ifdef GL_ES\n#define N 4\n#else\n#define N 20000\n#endif",
        "#define N 200##00", "const int N = 20000;\n#define N N + 1",
        "#define N TWICE(TWICE(5000))\n#define TWICE(x) (2 * (x))",
        "const ivec2 SIZE = ivec2(20000, 1);\n#define N SIZE.x",
    ])
    func `macros in array sizes are expanded`(definitions: String) {
        let line = definitions.split(separator: "\n").count + 2
        for use in ["float a[N];", "float[N] a;"] {
            #expect {
                try Self.effect("\(definitions)\n\(use)")
            } throws: {
                Self.isRefused($0, line: line)
            }
        }
    }

    @Test(arguments: [
        "#define ARRAY(n) float a[n]\nARRAY(20000);",
        "#define ARRAY(n) float a[n * 10]\nARRAY(N);",
        "#define OPEN [\nfloat a OPEN 20000];", "#define SIZE 20000]\nfloat a[SIZE;",
    ])
    func `macros that declare an array or hide its brackets are refused`(text: String) {
        #expect(throws: EffectError.self) { try Self.effect("const int N = 2000;\n\(text)") }
    }

    @Test(arguments: [
        "float a[16384];", "float a[] = float[](1.0, 2.0);", "float a[0x40 * 2];",
        "#define N 9\nfloat a[N]; float b[N * 2 + 1], c[a.length()];",
        "#ifdef GL_ES\n#define N 4\n#else\n#define N 8\n#endif\nfloat a[N];",
        "const int R = 3; const int N = 2 * R + 1; const float a[N] = float[N](1., 2., 3.);",
        "#define N 100 + 1\nfloat a[N * 200];",
        "#if A\n#define N 2\n#else\n#define N 2\n#endif\nfloat a[N*N*N*N*N*N*N*N*N*N];",
        "#if A\nconst int N = 2;\n#else\nconst int N = 2;\n#endif\nfloat a[N*N*N*N*N*N*N*N*N*N];",
        "#if A\n#define N 2\n#elif B\n#define N 3\n#else\n#define N 4\n#endif\n"
            + "const int H = N / 2; const int A = H * H * H * H * H * H * H; float a[A];",
        "const ivec2 S = ivec2(3, 4); float a[S.x];",
        "const int A[2] = int[2](3, 4); float a[A[1]];", "float a[4], b[CALL(4)];",
        "float a[4]; float f(int i) { return a[i * 20000] + a[int(TIME)] + a[3 - i]; }",
        "float a[4]; float f() { const int N = 30000; return 0.0; } float g(int N) { return a[N]; }",
        "#define AT(i) a[i]\n#define ARRAY(n) float a[n]\nARRAY(4); float f(int i) { return AT(i); }",
        "float a[UNKNOWN];", "uniform vec4 a[gl_MaxDrawBuffers];",
        "const ivec2 G = ivec2(gl_WorkGroupSize); const ivec2 S = G + 2; float a[S.y];",
        "float a[int(pow(2.0, 4.0))]; float b[int(sqrt(16.0))];",
        "float a[4]; float f(int i) { return i > 0 ? a[i] : -a[0], a[1]; }",
        "mat3 m; float f(int i) { float x = m[i][2], y = m[0][i]; return x; }",
        "// sample rate [44100]", "#if 0\nfloat a[20000]; for reading only\n#endif",
    ])
    func `small arrays are accepted, and indices are not sizes`(text: String) throws {
        _ = try Self.effect(text)
    }

    @Test(arguments: [
        "float a[\(String(repeating: "(", count: 20_000))1\(String(repeating: ")", count: 20_000))];",
        (0..<40).map { "#define N\($0) N\($0 + 1) + N\($0 + 1)" }.joined(separator: "\n")
            + "\n#define N40 1\nfloat a[N0];",
        (0..<5000).map { "#define N\($0) (N\($0 + 1))" }.joined(separator: "\n")
            + "\n#define N5000 1\nfloat a[N0];",
        "#define F(x) F(x + x) + F(x)\nfloat a[F(F(F(1)))];",
    ])
    func `texts that would take too long to evaluate are refused at once`(text: String) {
        #expect(throws: EffectError.self) { try Self.effect(text) }
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: ["const ", "const int a = 1 + ", "for (const int a = "])
    func `unterminated declarations take linear time`(declaration: String) {
        let text = String(repeating: declaration, count: 500_000 / declaration.utf8.count)
        // The maximum, and one more.
        for (size, isTaken) in [(4, true), (5, false)] {
            let sizes = ArraySizes(
                ShaderTokens(JoinedText(Array("\(text)0; float a[\(size)];".utf8))), most: 4)
            #expect((sizes.excess == nil) == isTaken)
        }
    }

    @Test func `a size that an included file defines applies in the including file`() throws {
        let folder = TemporaryFolder()
        for (size, isTaken) in [(20, true), (20_000, false)] {
            try folder.write("const int N = \(size);\n", to: "size.glsl")
            let path = try folder.write(
                "/*{}*/\n#include \"size.glsl\"\nfloat a[N];\nvoid main() {}\n", to: "arrays.fs")
            let effect = try? EffectLibrary.effect(path: path)
            #expect((effect != nil) == isTaken)
        }
    }

    /// Denoisers list the areas of ten shapes, each for several sizes that depend on macros.
    @Test func `sizes with hundreds of possible values are evaluated`() throws {
        let sizes = (1...8).map { "#if S == \($0)\n#define P \($0)\n#endif\n" }.joined()
        let times = (0...5).map { "#if S == \($0)\n#define T \($0)\n#endif\n" }.joined()
        let areas = (1...10).map { "#if S == \($0)\nconst int area = AREA(P * \($0));\n#endif\n" }
        let effect = try Self.effect(
            sizes + times + "#define S 3\n#define AREA(a) ((a) * (T + 1))\n" + areas.joined()
                + "float a[area];")
        #expect(effect.passes.count == 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import MediaTestSupport
import PlayheadEffects
import PlayheadGL
import PlayheadTextures
import Testing

@Suite("Shader diagnostics")
struct DiagnosticTests {
    /// Logs in three forms: Mesa's, NVIDIA's, and that of AMD, Intel, Apple and glslang. Those of
    /// NVIDIA are of its driver 580; Mesa and glslang are also run, below and in the tool's tests.
    private static let logs: [(log: String, file: Int, line: Int, column: Int?, text: String)] = [
        ("0:12(5): error: `x' undeclared\n", 0, 12, 5, "`x' undeclared"),
        (
            "1:3(14): error: no function with name 'noise2'\n", 1, 3, 14,
            "no function with name 'noise2'"
        ),
        (
            "0:7(1): error: syntax error, unexpected '}', expecting ',' or ';'\n", 0, 7, 1,
            "syntax error, unexpected '}', expecting ',' or ';'"
        ),
        (
            "0(12) : error C1503: undefined variable \"x\"\n", 0, 12, nil,
            "C1503: undefined variable \"x\""
        ),
        (
            "2(5) : error C0000: syntax error, unexpected '}', expecting ',' or ';' at token \"}\"\n",
            2, 5, nil, "C0000: syntax error, unexpected '}', expecting ',' or ';' at token \"}\""
        ),
        ("ERROR: 0:12: 'x' : undeclared identifier\n", 0, 12, nil, "'x' : undeclared identifier"),
        (
            "ERROR: 1:8: 'vec3' : cannot construct with these arguments\nERROR: 1 compilation errors.\n",
            1, 8, nil, "'vec3' : cannot construct with these arguments"
        ),
        (
            "ERROR: 0:3: Use of undeclared identifier 'x'\n", 0, 3, nil,
            "Use of undeclared identifier 'x'"
        ),
    ]

    @Test(arguments: logs.indices)
    func `the logs of all driver families are parsed`(index: Int) {
        let expected = Self.logs[index]
        let paths = ["a.fs", "lib/b.glsl", "c.glsl"]
        let found = ShaderDiagnostic.parse(log: expected.log, paths: paths)
        #expect(found.first?.path == paths[expected.file])
        #expect(found.first?.line == expected.line)
        #expect(found.first?.column == expected.column)
        #expect(found.first?.message == expected.text)
        #expect(found.first?.isWarning == false)
    }

    @Test func `NVIDIA's messages about a whole shader are errors without a line, printed once`() {
        let log = """
            Fragment info
            -------------
            (0) : error C3001: no program defined
            (0) : error C3001: no program defined

            """
        let found = ShaderDiagnostic.parse(log: log, paths: ["a.fs"])
        #expect(found.map(\.description) == ["a.fs: error: C3001: no program defined"])
        let end = "(0) : error C0000: syntax error, unexpected $end at token \"<EOF>\"\n"
        #expect(
            ShaderDiagnostic.parse(log: end, paths: ["a.fs"]).map(\.description) == [
                "a.fs: error: C0000: syntax error, unexpected $end at token \"<EOF>\""
            ])
    }

    @Test func `NVIDIA's candidate functions belong to the message before them`() {
        let log = """
            0(6) : error C1101: ambiguous overloaded function reference "f(vec4)"
                0(4) : float f(vec3)
                0(3) : float f(vec2)
            0(8) : error C1503: undefined variable "x"

            """
        let found = ShaderDiagnostic.parse(log: log, paths: ["a.fs"])
        #expect(
            found.map(\.description) == [
                "a.fs:6: error: C1101: ambiguous overloaded function reference \"f(vec4)\"; "
                    + "candidates are: float f(vec3), float f(vec2)",
                "a.fs:8: error: C1503: undefined variable \"x\"",
            ])
    }

    @Test func `NVIDIA's second messages about one mistake are omitted`() {
        let log = """
            0(4) : error C1060: incompatible types in initialization
            0(4) : error C1056: invalid initialization
            0(5) : error C1031: swizzle mask element not present in operand "z"
            0(5) : error C1068: array index out of bounds
            0(7) : error C1068: array index out of bounds

            """
        let found = ShaderDiagnostic.parse(log: log, paths: ["a.fs"])
        #expect(found.map(\.line) == [4, 5, 7])
        #expect(found.map { $0.message.prefix(5) } == ["C1060", "C1031", "C1068"])
    }

    @Test func `the first of many messages are kept, and warnings displace no error`() {
        let warnings = (1...1000).map { "0:\($0)(1): warning: `a' used uninitialized\n" }
        let errors = (1...50_000).map { "0:\($0)(1): error: `x' undeclared\n" }
        let text = (warnings + errors).joined()
        let found = ShaderDiagnostic.parse(log: text, paths: ["a.fs"])
        #expect(found.count(where: \.isWarning) == 200)
        #expect(found.count { !$0.isWarning } == 200)
    }

    @Test func `warnings are distinguished from errors`() {
        let found = ShaderDiagnostic.parse(
            log: "0:1(1): warning: `a' used uninitialized\n0(2) : warning C7050: \"b\" might be\n"
                + "WARNING: 0:3: 'c' : unused\n0:4(1): error: stop\n", paths: ["a.fs"])
        #expect(found.map(\.isWarning) == [true, true, true, false])
        #expect(found.map(\.line) == [1, 2, 3, 4])
    }

    @Test func `messages that only repeat an error are removed unless there is no other`() {
        let mesa = "0:18(2): error: `colr' undeclared\n"
        let second =
            "0:18(2): error: value of type vec4 cannot be assigned to variable of type error\n"
        let glslang = "ERROR: 0:18: 'colr' : undeclared identifier \n"
        let last = "ERROR: 0:18: '' : compilation terminated \n"
        for (log, message) in [
            (mesa + second, "`colr' undeclared"),
            (glslang + last, "'colr' : undeclared identifier"),
            (last, "'' : compilation terminated"),
        ] {
            let found = ShaderDiagnostic.parse(log: log, paths: ["a.fs"])
            #expect(found.map(\.message) == [message])
        }
    }

    @Test func `candidate functions are appended to their message unless there are many`() {
        func log(_ forms: [String]) -> String {
            "0:3(5): error: no matching function for call to `f(vec4)'; candidates are:\n"
                + forms.map { "0:3(5): error:    \($0)\n" }.joined()
                + "0:4(1): error: `x' undeclared\n"
        }
        let few = ShaderDiagnostic.parse(
            log: log(["float f(float)", "vec2 f(vec2)"]), paths: ["a.fs"])
        #expect(
            few.map(\.message) == [
                "no matching function for call to `f(vec4)'; candidates are: float f(float), vec2 f(vec2)",
                "`x' undeclared",
            ])
        let many = ShaderDiagnostic.parse(
            log: log(Array(repeating: "float f(float)", count: 40)), paths: ["a.fs"])
        #expect(
            many.map(\.message) == ["no matching function for call to `f(vec4)'", "`x' undeclared"])
    }

    @Test func `errors that follow from an unknown name are removed`() {
        let log = """
            0:3(9): error: `gain' undeclared
            0:3(5): error: operands to arithmetic operators must be numeric
            0:3(5): error: cannot construct `vec3' from a non-numeric data type
            0:3(2): error: no matching function for call to `mix(vec4, vec4, error)'; candidates are:
            0:3(2): error:    float mix(float, float, float)
            0:3(1): error: `return' with wrong type error, in function `f' returning vec4
            0:5(8): error: invalid swizzle / mask `xyz'
            0:5(5): error: type mismatch
            0:7(5): error: operands to arithmetic operators must be numeric

            """
        let found = ShaderDiagnostic.parse(log: log, paths: ["a.fs"])
        #expect(found.map(\.line) == [3, 5, 7])
        #expect(found.first?.message == "`gain' undeclared")
        // Nothing is omitted because of a warning, nor for the name of a function.
        let warned = """
            0:1(1): warning: `gain' used uninitialized
            0:2(1): error: value of type error cannot be returned

            """
        #expect(ShaderDiagnostic.parse(log: warned, paths: ["a.fs"]).map(\.line) == [1, 2])
        let named = """
            0:2(1): error: no matching function for call to `error(float, float)'
            0:3(1): error: `gain' undeclared

            """
        #expect(ShaderDiagnostic.parse(log: named, paths: ["a.fs"]).map(\.line) == [2, 3])
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `a shader without a main is reported in one line`() throws {
        let effect = try ISFImporter.effect(text: "/*{}*/ void Main() {}", path: "a.fs")
        let error = try #require(try Self.firstError(of: effect))
        #expect(error.message.contains("main"))
        #expect(!error.message.contains("error:") && !error.message.contains("\n"))
    }

    @Test(arguments: [
        "0:2(15): error: `amount' redeclared", "ERROR: 0:2: 'amount' : redefinition",
        "0(2) : error C1038: declaration of \"amount\" conflicts with previous declaration at 0(1)",
    ])
    func `a declaration of a name from the header is reported with the remedy`(log: String) throws {
        let effect = try ISFImporter.effect(
            text: "/*{ \"INPUTS\": [{ \"NAME\": \"amount\", \"TYPE\": \"float\" }] }*/\n"
                + "uniform float amount;\nvoid main() {}\n", path: "a.fs")
        let shader = try #require(EffectShader.all(of: effect).first { $0.stage == .fragment })
        let found = try #require(shader.diagnostics(log: log).first)
        #expect(found.message.hasPrefix("'amount' is already declared"))
        #expect(found.line == 2)
        // A variable of the author that is not declared in the header.
        let own = shader.diagnostics(log: "0:2(15): error: `sum' redeclared")
        #expect(own.first?.message == "`sum' redeclared")
    }

    @Test(arguments: [
        "0:2(5): error: no matching function for call to `texture(sampler2D, vec3)'",
        "0(2) : error C1115: unable to find compatible overloaded function "
            + "\"textureLod(sampler2D, vec3, float)\"",
        "0(2) : error C7011: implicit cast from \"vec3\" to \"vec2\"",
    ])
    func `a lookup with a direction in an image is reported with the line for a cube map`(
        log: String
    ) throws {
        let effect = try ShadertoyImporter.effect(
            text: "void mainImage(out vec4 c, vec2 p) {\nc = texture(iChannel0, vec3(p, 1.0)); }",
            path: "a.glsl")
        let shader = try #require(EffectShader.all(of: effect).first { $0.stage == .fragment })
        let found = try #require(shader.diagnostics(log: log).first)
        #expect(found.message.contains("for a cube map, add '#iChannel0 \"sky_{}.png\"'"))
    }

    /// A broken file in each format, with the position of its error: that of the word, or the start
    /// of the line's text if the error is not at a word.
    private static let broken: [(format: EffectFormat, text: String, line: Int, column: Int)] = [
        (.isf, "/*{}*/ void main() { gl_FragColor = vec4(nonsense); }", 1, 42),
        (
            .isf,
            "/*{\n  \"INPUTS\": [{ \"NAME\": \"inputImage\", \"TYPE\": \"image\" }]\n}*/\n"
                + "// a comment, nonsense\nvoid main() {\n"
                + "    vec4 a = IMG_THIS_PIXEL(inputImage) * IMG_THIS_PIXEL(inputImage) + nonsense;\n"
                + "    gl_FragColor = a;\n}\n", 6, 72
        ),
        (.isf, "/*{}*/\nvoid main() {\n#if 1\n    gl_FragColor = vec4(0.0)\n#endif\n}\n", 6, 1),
        // The error is not at a word, and the driver's own column is that of a space.
        (.isf, "/*{}*/\nvoid main() {\n        vec3 a = vec2(1.0);\n}\n", 3, 9),
        (
            .transition,
            "uniform float a; // = 1.0\n\nvec4 transition(vec2 uv) {\n"
                + "\treturn mix(getFromColor(uv), getToColor(uv), progres);\n}\n", 4, 47
        ),
        (
            .shadertoy,
            "void mainImage(out vec4 c, in vec2 p) {\n    c = vec4(p / iResolution.xy, iTme, 1.0);\n}\n",
            2, 34
        ),
        (
            .hook,
            "//!HOOK MAIN\n//!BIND HOOKED\n//!DESC broken\nvec4 hook() {\n"
                + "    return HOOKED_texOff(vec2(1.0, 0.0)) * strenth;\n}\n", 5, 44
        ),
        (
            .glsl,
            "#version 330\nuniform float u_time;\nout vec4 color;\nvoid main() {\n"
                + "    color = vec4(u_time) + wrong;\n}\n", 5, 28
        ),
    ]

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: broken.indices)
    func `an error has the author's line and column in every format`(index: Int) throws {
        let expected = Self.broken[index]
        let folder = TemporaryFolder()
        let path = try folder.write(expected.text, to: "broken.glsl")
        let effect = try EffectLibrary.effect(path: path, format: expected.format)
        #expect(FormatDetector.format(of: expected.text) == expected.format)
        let error = try #require(try Self.firstError(of: effect))
        #expect(error.path == path)
        #expect(error.line == expected.line)
        #expect(error.column == expected.column, "\(error.excerpt)")
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `an error three includes deep names its file, and later lines stay right`() throws {
        let folder = TemporaryFolder()
        try folder.write("#include \"b.glsl\"\nfloat a() { return b(); }\n", to: "lib/a.glsl")
        try folder.write("\n\n#include \"c/c.glsl\"\nfloat b() { return c(); }\n", to: "lib/b.glsl")
        let head =
            "/*{}*/\n#if 1\n#include \"lib/a.glsl\"\n#else\n#include \"lib/a.glsl\"\n#endif\n"
        let good = head + "void main() { gl_FragColor = vec4(a()); }\n"
        try folder.write("float c() {\n    return 1.0 * missing;\n}\n", to: "lib/c/c.glsl")
        let path = try folder.write(good, to: "main.fs")
        let deep = try #require(try Self.firstError(of: EffectLibrary.effect(path: path)))
        #expect(deep.path.hasSuffix("/lib/c/c.glsl"))
        #expect(deep.line == 2)
        #expect(deep.column == 18)
        #expect(deep.sourceLine == "    return 1.0 * missing;")
        #expect(
            deep.excerpt.hasSuffix(
                "\n        return 1.0 * missing;\n"
                    + String(
                        repeating: " ", count: 21) + "^"))

        try folder.write("float c() { return 1.0; }\n", to: "lib/c/c.glsl")
        try folder.write(head + "\nvoid main() { gl_FragColor = a() * wrong; }\n", to: "main.fs")
        let behind = try #require(try Self.firstError(of: EffectLibrary.effect(path: path)))
        #expect(behind.path == path)
        #expect(behind.line == 8)
        #expect(behind.column == 36)
    }

    /// A main file of each format that can include others, which calls a function three files away.
    private static let including: [(format: EffectFormat, head: String, body: String)] = [
        (.isf, "/*{}*/\n", "void main() { gl_FragColor = vec4(a()); }\n"),
        (
            .transition, "uniform float b; // = 1.0\n",
            "vec4 transition(vec2 uv) { return mix(getFromColor(uv), getToColor(uv), a()); }\n"
        ),
        (.shadertoy, "", "void mainImage(out vec4 color, in vec2 p) { color = vec4(a()); }\n"),
        (
            .glsl, "#version 330\nuniform float u_time;\nout vec4 color;\n",
            "void main() { color = vec4(a() * u_time); }\n"
        ),
    ]

    /// Compilers' messages about `missing` in a line of a source string: Mesa with the number of
    /// the string and, as in expressions, without; NVIDIA; AMD, Intel, Apple and glslang.
    private static let undeclared: [@Sendable (_ source: Int, _ line: Int) -> String] = [
        { "\($0):\($1)(18): error: `missing' undeclared\n" },
        { _, line in "0:\(line)(18): error: `missing' undeclared\n" },
        { "\($0)(\($1)) : error C1503: undefined variable \"missing\"\n" },
        { "ERROR: \($0):\($1): 'missing' : undeclared identifier\nERROR: 1 compilation errors.\n" },
    ]

    @Test(arguments: including.indices, undeclared.indices)
    func `all driver logs are parsed in every format, three includes deep`(index: Int, dialect: Int)
        throws
    {
        let folder = TemporaryFolder()
        try folder.write(
            "// one\n#include \"b.glsl\"\nfloat a() { return b(); }\n", to: "lib/a.glsl")
        try folder.write("#include \"c/c.glsl\"\nfloat b() { return c(); }\n", to: "lib/b.glsl")
        try folder.write("float c() {\n    return 1.0 * missing;\n}\n", to: "lib/c/c.glsl")
        let (format, head, body) = Self.including[index]
        let path = try folder.write(head + "#include \"lib/a.glsl\"\n" + body, to: "main.glsl")
        let effect = try EffectLibrary.effect(path: path, format: format)
        let shader = try #require(EffectShader.all(of: effect).first { $0.stage == .fragment })
        let (source, line) = try #require(Self.place(of: "missing", in: shader.text))
        let found = try #require(
            shader.diagnostics(log: Self.undeclared[dialect](source, line)).first)
        #expect(found.path.hasSuffix("/lib/c/c.glsl"))
        #expect(found.line == 2)
        #expect(found.column == 18)
        #expect(found.sourceLine == "    return 1.0 * missing;")
    }

    /// Returns the position at which a compiler finds a word: the source string and the line that
    /// `#line` counts from.
    private static func place(of word: String, in text: String) -> (source: Int, line: Int)? {
        var (source, line) = (0, 0)
        for text in text.split(separator: "\n", omittingEmptySubsequences: false) {
            line += 1
            let words = text.split(separator: " ")
            if words.first == "#line", words.count == 3, let next = Int(words[1]),
                let file = Int(words[2])
            {
                (source, line) = (file, next - 1)
            } else if text.contains(word) {
                return (source, line)
            }
        }
        return nil
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `a shader that needs newer rules compiles`() throws {
        let text =
            "/*{}*/ float f() { return 1; } void main() { uint a = 3; "
            + "gl_FragColor = vec4(f() * float(a)); }"
        let effect = try ISFImporter.effect(text: text, path: "lenient.fs")
        #expect(try Self.firstError(of: effect) == nil)
    }

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: [
            (
                EffectFormat.shadertoy,
                """
                #define color result
                float TIME; vec4 DATE; vec2 RENDERSIZE;
                void mainImage(out vec4 color, in vec2 place) {
                    TIME = iTime;
                    vec4 mouse = iMouse / iResolution.xyxy;
                    int FRAMEINDEX = iFrame;
                    result = iMouse.z > 0.0 ? mouse : vec4(TIME + float(iFrame * HW_PERFORMANCE) + iDate.x);
                }
                """
            ),
            (
                .glsl,
                """
                uniform vec2 u_mouse, u_resolution; uniform float u_time;
                float TIME;
                void main() {
                    vec3 mouse = vec3(u_mouse / u_resolution, 0.0);
                    TIME = u_time + u_mouse.x;
                    gl_FragColor = vec4(mouse, TIME);
                }
                """
            ),
            (
                .shadertoy,
                """
                uniform vec3 iResolution; uniform float iTime; uniform sampler2D iChannel0;
                uniform float strength = 0.5;
                void mainImage(out vec4 c, in vec2 p) {
                    c = texture(iChannel0, p / iResolution.xy) * strength * iTime;
                }
                """
            ),
            (
                .glsl,
                """
                uniform vec3 iResolution; uniform float time; uniform sampler2D iChannel0;
                uniform vec4 iMouse; uniform int iFrame; uniform vec2 resolution;
                float noise(float time) { return fract(time); }
                void mainImage(out vec4 c, in vec2 p) {
                    c = texture(iChannel0, p / iResolution.xy) * noise(time) * iMouse.z;
                }
                void main() { mainImage(gl_FragColor, gl_FragCoord.xy + resolution * float(iFrame)); }
                """
            ),
            (
                .glsl,
                """
                uniform vec2 u_mouse, u_resolution, mouse;
                void main() { gl_FragColor = vec4(u_mouse / u_resolution, mouse); }
                """
            ),
            (
                .transition,
                """
                float TIME = 0.5, RENDERSIZE = 2.0;
                vec4 transition(vec2 uv) {
                    return mix(getFromColor(uv), getToColor(uv), progress * TIME * RENDERSIZE * ratio);
                }
                """
            ),
            (
                .hook,
                """
                //!HOOK MAIN
                //!BIND HOOKED
                const float TIME = 1.0;
                vec4 hook() { return HOOKED_tex(HOOKED_pos) * TIME * random + float(frame); }
                """
            ),
        ])
    func `in formats other than ISF, ISF's names and mouse are free for variables`(
        format: EffectFormat, text: String
    ) throws {
        let folder = TemporaryFolder()
        let path = try folder.write(text, to: "own.glsl")
        let effect = try EffectLibrary.effect(path: path)
        #expect(effect.format == format)
        #expect(try Self.firstError(of: effect) == nil)
    }

    /// Returns the first error of drawing an effect; nil on success.
    private static func firstError(of effect: Effect) throws -> ShaderDiagnostic? {
        try GraphicsTest.withContext { context in
            let renderer = EffectRenderer(
                context: context, painter: PicturePainter(context: context),
                pool: FramebufferPool(context: context), images: TextureCache(context: context))
            let output = renderer.draw(
                EffectInstance(effect), input: nil, width: 4, height: 2,
                time: EffectTime(seconds: 0))
            guard output == nil else { return nil }
            guard case .compilation(_, let diagnostics) = renderer.takeErrors().first else {
                return nil
            }
            return diagnostics.first { !$0.isWarning }
        }
    }
}

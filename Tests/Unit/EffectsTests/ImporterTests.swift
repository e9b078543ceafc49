// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadEffects
import Testing

@Suite("Effect importers")
struct ImporterTests {
    private static let transition = """
        // author: someone
        // License: MIT
        uniform float amount, width; // = 0.5
        uniform vec3 tint /* = vec3(1.0, 0.5, 0.0) */;
        uniform ivec2 tiles; // = ivec2(8)
        uniform bool reverse; // = true
        uniform sampler2D luma;
        vec4 transition(vec2 uv) { return mix(getFromColor(uv), getToColor(uv), progress); }
        """
    private static let toy = """
        void mainImage(out vec4 color, in vec2 place) {
            color = texture(iChannel0, place / iResolution.xy) * iMouse.x;
        }
        """
    private static let hook = """
        // a licence
        //!PARAM strength
        //!TYPE float
        //!MINIMUM 0
        //!MAXIMUM 2
        1.0
        //!HOOK MAIN
        //!BIND HOOKED
        //!DESC doubles
        //!WIDTH HOOKED.w 2 *
        //!HEIGHT HOOKED.h 2 *
        //!WHEN OUTPUT.w HOOKED.w >
        vec4 hook() { return HOOKED_tex(HOOKED_pos) * strength; }
        """
    private static let plain = """
        #version 330
        uniform float u_time;
        uniform float amount; // @slider 0 2 0.5 "How much"
        uniform sampler2D u_tex0;
        out vec4 color;
        void main() { color = vec4(u_time * amount); }
        """
    private static let isf = "/*{ \"INPUTS\": [] }*/ void main() { gl_FragColor = vec4(1.0); }"

    @Test(arguments: [
        (transition, EffectFormat.transition), (toy, .shadertoy), (hook, .hook),
        (plain, .glsl), (isf, .isf), ("// mainImage(\nvoid main() {}", .glsl),
    ])
    func `a format is detected from the content, not from the name`(
        text: String, format: EffectFormat
    ) {
        #expect(FormatDetector.format(of: text) == format)
    }

    @Test func `text in no known format is reported`() {
        #expect(FormatDetector.format(of: "hello") == nil)
    }

    @Test func `a transition's uniforms become inputs with the defaults in comments`() throws {
        let effect = try TransitionImporter.effect(text: Self.transition, path: "a/wipe.glsl")
        #expect(effect.name == "wipe")
        #expect(effect.credit == "someone")
        #expect(effect.kind == .transition)
        #expect(effect.input(named: "amount")?.defaultValue == .float(0.5))
        #expect(effect.input(named: "width")?.maximum == .float(1))
        #expect(effect.input(named: "tint")?.defaultValue == .color([1, 0.5, 0, 1]))
        #expect(effect.input(named: "tint")?.uniformType == .vec3)
        #expect(effect.input(named: "tiles")?.defaultValue == .point2D([8, 8]))
        #expect(effect.input(named: "tiles")?.uniformType == .ivec2)
        #expect(effect.input(named: "reverse")?.defaultValue == .bool(true))
        #expect(effect.input(named: "luma")?.kind == .image)
    }

    @Test(arguments: [
        ("float a; // = 1.0 / 3.0", EffectValue.float(1.0 / 3)),
        ("float a; // = 1.0/3.0 of it", .float(1.0 / 3)),
        ("float a /* = 3.14159 * 0.5 */;", .float(1.570795)),
        ("float a; // = (1.0 + 2.0) / 2.0; the mean", .float(1.5)),
        ("float a; // = 0.5 (0 to 1)", .float(0.5)),
        ("float a; // = 0.5 -1 to 1", .float(0.5)),
        ("float a; // = -0.5, 0 for off", .float(-0.5)),
        ("float a; // = 1.0 - 0.25", .float(0.75)),
        ("float a; // = 1. / -4.f", .float(-0.25)),
        ("float a; // = 1e-2 * 3", .float(0.03)),
        ("float a; // = sqrt(4.0)", .float(2)),
        ("float a; // = .5", .float(0.5)),
        ("float a; // = 0.5.", .float(0.5)), ("float a; // = 0.5 // half", .float(0.5)),
        ("vec2 a; // = vec2(1.0 / 4.0, 0.5) (from 0 to 1)", .point2D([0.25, 0.5])),
        ("vec2 a; // = vec2( min(1.0, 2.0), 0.5 );", .point2D([1, 0.5])),
        ("vec3 a; // = vec3(0.5)", .color([0.5, 0.5, 0.5, 1])),
        ("vec3 a; // = vec3(1.0, 0.5, 0.25) * 0.5", .color([0.5, 0.25, 0.125, 1])),
        ("vec2 a; // = vec2(1.0) / 4.0 of it", .point2D([0.25, 0.25])),
        ("vec2 a; // = vec2(1.0) - the middle", .point2D([1, 1])),
        ("vec2 a = vec2(1.0, 2.0) * 0.5;", .point2D([0.5, 1])),
        ("bool a; // = true means more", .bool(true)),
        ("bool a; // = 0", .bool(false)),
        ("int a; // = 12 / 4", .long(3)),
        ("float a; // = nothing", .float(0)),
        ("float b /* = 1.0 */, a /* = 2.0 */;", .float(2)),
        ("float a /* = 1.0 */, b /* = 2.0 */;", .float(1)),
        ("float b, // = 1.0\n    a; // = 2.0", .float(2)),
        ("float a, // = 1.0\n    b; // = 2.0", .float(1)),
        ("float a, b; // = 2.0", .float(2)),
        ("float a = (1.0 + 2.0) / 2.0;", .float(1.5)),
        ("float a = 1.0f / 4.0f;", .float(0.25)),
        ("bool a = true;", .bool(true)),
    ])
    func `default expressions are evaluated, and words may follow them`(
        declaration: String, expected: EffectValue
    ) throws {
        let effect = try GLSLImporter.effect(
            text: "uniform \(declaration)\nvoid main() {}", path: "a.frag")
        let value = effect.input(named: "a")?.defaultValue
        if case .float(let value) = value, case .float(let expected) = expected {
            #expect(abs(value - expected) < 1e-6)
        } else {
            #expect(value == expected)
        }
    }

    @Test(arguments: [
        "float a = PI;", "float a = )(;", "vec2 a = vec2(1.0) + 0.5;", "float a = 1.0 / 0.0;",
    ])
    func `a default that cannot be parsed is refused`(declaration: String) {
        #expect {
            try GLSLImporter.effect(
                text: "#define PI 3.14\nuniform \(declaration)\nvoid main() {}", path: "a.frag")
        } throws: { error in
            "\(error)".hasPrefix("a.frag:2: error: the value of 'a' cannot be read: '")
        }
    }

    @Test(arguments: [
        ("varying vec3 v_normal;\nvoid main() { gl_FragColor = vec4(v_normal, 1.0); }", 1),
        ("\nin vec2 a, leftTextureCoordinate;\nvoid main() { f(leftTextureCoordinate); }", 2),
        (
            "/*{}*/\n#if __VERSION__ <= 120\nvarying vec2 left;\n#else\nin vec2 left;\n#endif\n"
                + "void main() { gl_FragColor = vec4(left, 0.0, 1.0); }", 3
        ),
        ("in VertexData {\n vec2 v_texcoord;\n} inData;\nvoid main() {}", 1),
        ("vec4 transition(vec2 uv) { return vec4(p.x); }\nin vec2 p;", 2),
        ("in vec2 p;\nvoid mainImage(out vec4 c, in vec2 q) { c = vec4(p, q); }", 1),
        ("in vec2 weights[3];\nvoid main() { gl_FragColor = vec4(weights[1], 0.0, 1.0); }", 1),
    ])
    func `a varying that no vertex shader writes is refused at its line`(text: String, line: Int)
        throws
    {
        let folder = TemporaryFolder()
        let path = try folder.write(text, to: "a.frag")
        #expect {
            try EffectLibrary.effect(path: path)
        } throws: { error in
            "\(error)".hasPrefix("\(path):\(line): error: no vertex shader writes")
        }
    }

    @Test(arguments: [
        "varying vec3 v_normal;\nvoid main() {}",
        "#ifdef MODEL_VERTEX_NORMAL\nvarying vec3 v_normal;\n#endif\nvoid main() {\n"
            + "#ifdef MODEL_VERTEX_NORMAL\n    gl_FragColor.rgb = v_normal;\n#endif\n}",
        "float f(in vec2 p) { return p.x; }\nvoid main() { gl_FragColor = vec4(f(vec2(1.0))); }",
        "layout(early_fragment_tests) in;\nvoid main() {}",
    ])
    func `varyings that are not read, or are excluded by conditions, are accepted`(text: String)
        throws
    {
        let folder = TemporaryFolder()
        let path = try folder.write(text, to: "a.frag")
        #expect(throws: Never.self) { try EffectLibrary.effect(path: path) }
    }

    @Test func `a varying that the effect's vertex shader does not write is reported`() throws {
        let text =
            "/*{}*/\nvarying vec2 left;\nvarying vec2 right;\n"
            + "void main() { gl_FragColor = vec4(left, right); }"
        func effect(_ vertex: String) throws -> Effect {
            try ISFImporter.effect(
                text: text, path: "a.fs", vertexText: vertex + "\nvoid main() {}")
        }
        #expect(throws: Never.self) { try effect("varying vec2 left, right;") }
        #expect {
            try effect("varying vec2 left;")
        } throws: { error in
            "\(error)" == "a.fs:3: error: the vertex shader does not write 'right'"
        }
    }

    @Test func `layout qualifiers are removed with their uniforms`() throws {
        let effect = try GLSLImporter.effect(
            text:
                "layout(location = 3) uniform float a;\nlayout (binding = 0)\n  uniform float b;\n"
                + "float layout_(float x) { return x; } uniform float c;\nvoid main() {}",
            path: "a.frag")
        #expect(effect.inputs.map(\.name) == ["a", "b", "c"])
        let text = effect.shaders[0].map(\.text).joined()
        #expect(!text.contains("binding"))
        #expect(text.contains("return x; }"))
    }

    @Test func `lines that end in carriage returns are counted in every format`() throws {
        let folder = TemporaryFolder()
        let loop = "\rint f() { for (int i = 0; i < 1000000; i++) {} return 1; }"
        for (text, line) in [
            ("/*{ \"INPUTS\": [] }*/\r// x\rvoid main() {}" + loop, 4),
            ("// x\r\rvoid main() {}" + loop, 4),
            ("// a\rvec4 transition(vec2 uv) { return vec4(1); }" + loop, 3),
            ("void mainImage(out vec4 a, vec2 b) {}\r\n// x" + loop, 3),
            ("//!HOOK MAIN\r//!BIND HOOKED\rvec4 hook() { return vec4(1); }" + loop, 4),
            ("/*{\r\"INPUTS\": [\r{ \"NAME\": \"a\", \"TYPE\": \"b\" } ] }*/", 3),
            ("/*{\r\"INPUTS\": [\r} }*/", 3),
            ("# a\rLUT_3D_SIZE 1\r", 2),
        ] {
            let path = try folder.write(text, to: "a.txt")
            #expect {
                try EffectLibrary.effect(path: path)
            } throws: { error in
                "\(error)".hasPrefix("\(path):\(line):")
            }
        }
    }

    @Test func `a Shadertoy shader reads the video as its first channel`() throws {
        let effect = try ShadertoyImporter.effect(text: Self.toy, path: "toy.glsl")
        #expect(effect.kind == .filter)
        #expect(effect.passes.count == 1)
        #expect(effect.passes[0].bindings.map(\.sampler) == ["iChannel0"])
        #expect(effect.passes[0].bindings.map(\.picture) == ["inputImage"])
        #expect(effect.input(named: "mouse")?.kind == .point2D)
    }

    @Test func `Shadertoy tabs become passes, and channels follow their directives`() throws {
        let effect = try ShadertoyImporter.effect(
            tabs: [
                ("Common", "float half_(float x) { return 0.5 * x; }", "t/common.glsl"),
                (
                    "Buffer A",
                    "#iChannel0 \"self\"\nvoid mainImage(out vec4 c, in vec2 p) {"
                        + " c = texelFetch(iChannel0, ivec2(p), 0) + half_(1.0); }",
                    "t/bufferA.glsl"
                ),
                (
                    "Image",
                    "#iChannel0 \"bufferA.glsl\"\n#iChannel0::WrapMode \"Repeat\"\n"
                        + "#iChannel1 \"noise.png\"\nvoid mainImage(out vec4 c, in vec2 p) {"
                        + " c = texture(iChannel0, p) + texture(iChannel1, p); }",
                    "t/image.glsl"
                ),
            ], path: "t")
        #expect(effect.passes.map(\.target) == ["bufferA", nil])
        #expect(effect.passes[0].isPersistent)
        #expect(effect.passes[0].bindings.map(\.picture) == ["bufferA"])
        #expect(effect.passes[1].bindings.map(\.picture) == ["bufferA", "image0"])
        #expect(effect.passes[1].bindings.map(\.isRepeated) == [true, false])
        #expect(effect.importedImages.map(\.path) == ["noise.png"])
        #expect(effect.importedImages.map(\.line) == [3])
    }

    @Test func `a channel that the common tab defines applies to tabs that do not`() throws {
        let main = "void mainImage(out vec4 c, in vec2 p) { c = pick(p); }"
        let effect = try ShadertoyImporter.effect(
            tabs: [
                (
                    "Common",
                    "#iChannel1 \"noise.png\"\n#iChannel1::WrapMode \"Repeat\"\n"
                        + "vec4 pick(vec2 p) { return texture(iChannel1, p); }", "t/common.glsl"
                ),
                ("Buffer A", "#iChannel1 \"self\"\n" + main, "t/bufferA.glsl"),
                ("Image", main, "t/image.glsl"),
            ], path: "t")
        #expect(effect.passes.flatMap(\.bindings).map(\.picture) == ["bufferA", "image0"])
        #expect(effect.passes.flatMap(\.bindings).map(\.isRepeated) == [false, true])
        #expect(effect.importedImages.map(\.path) == ["noise.png"])
        #expect(effect.importedImages.map(\.line) == [1])
    }

    @Test func `channels and the pointer in the common tab or in includes are available`() throws {
        let folder = TemporaryFolder()
        try folder.write(
            "#define PICTURE(p) texture(iChannel0, (p) / iResolution.xy)\n", to: "toy/Common.glsl")
        try folder.write("vec2 pointer() { return iMouse.xy; }\n", to: "toy/pointer.glsl")
        try folder.write(
            "#iChannel0 \"self\"\nvoid mainImage(out vec4 c, vec2 p) { c = PICTURE(p); }",
            to: "toy/BufferA.glsl")
        try folder.write(
            "#iChannel0 \"Buffer A\"\n#include \"pointer.glsl\"\n"
                + "void mainImage(out vec4 c, vec2 p) { c = PICTURE(p + pointer()); }",
            to: "toy/Image.glsl")
        let effect = try EffectLibrary.effect(path: folder.appending("toy").path)
        #expect(
            effect.passes.map { $0.bindings.map(\.picture) } == [["bufferA"], ["bufferA"]])
        #expect(effect.inputs.map(\.name) == ["mouse"])
    }

    @Test func `a missing image is reported with the tab that names it`() throws {
        let folder = TemporaryFolder()
        try folder.write("void mainImage(out vec4 c, vec2 p) {}", to: "toy/BufferA.glsl")
        let path = try folder.write(
            "\n#iChannel0 \"gone.png\"\nvoid mainImage(out vec4 c, vec2 p) { c = texture(iChannel0, p); }",
            to: "toy/Image.glsl")
        #expect {
            try EffectLibrary.effect(path: folder.appending("toy").path)
        } throws: { error in
            if case .inaccessible(path, 2, _) = error as? EffectError { true } else { false }
        }
    }

    @Test func `mpv blocks become passes, and their parameters inputs`() throws {
        let effect = try HookImporter.effect(text: Self.hook, path: "x2.glsl")
        #expect(effect.kind == .filter)
        #expect(effect.summary == "doubles")
        #expect(effect.input(named: "strength")?.defaultValue == .float(1))
        #expect(effect.input(named: "strength")?.maximum == .float(2))
        let pass = try #require(effect.passes.first { $0.summary == "doubles" })
        #expect(pass.target == "MAIN")
        #expect(pass.condition?.value { $0 == "OUTPUT.w" ? 8 : 4 } == 1)
        #expect(pass.width?.value { _ in 640 } == 1280)
    }

    @Test func `the summary of an mpv shader comes from its blocks, not its parameters`() throws {
        let effect = try HookImporter.effect(
            text: "//!PARAM strength\n//!DESC how much\n//!TYPE float\n1.0\n"
                + "//!HOOK MAIN\n//!DESC sharpens\n//!BIND HOOKED\n"
                + "vec4 hook() { return HOOKED_tex(HOOKED_pos); }\n", path: "h.glsl")
        #expect(effect.summary == "sharpens")
        #expect(effect.input(named: "strength")?.label == "how much")
    }

    @Test func `OFFSET ALIGN aligns images as in mpv`() throws {
        let effect = try HookImporter.effect(
            text: "//!HOOK CHROMA\n//!BIND HOOKED\n//!BIND LUMA\n//!OFFSET ALIGN\n"
                + "vec4 hook() { return HOOKED_tex(HOOKED_pos); }\n", path: "h.glsl")
        #expect(effect.passes.contains { $0.target == "CHROMA" })
    }

    @Test func `an unterminated comment is reported at its first line`() throws {
        let folder = TemporaryFolder()
        let path = try folder.write(
            "// mine\n/*{ \"ISFVSN\": \"2\" }\nvoid main() {}\n", to: "open.fs")
        #expect {
            try EffectLibrary.effect(path: path)
        } throws: { error in
            guard case .malformedHeader(path, 2, nil, let reason) = error as? EffectError else {
                return false
            }
            return reason.contains("*/")
        }
    }

    @Test(arguments: [
        ("//!HOOK MAIN\n//!BIND HOOKED\n//!COMPUTE 64 32\nvoid hook() {}", 3),
        ("//!HOOK MAIN\n//!COMPUTE 8\nvoid hook() {}", 2),
        ("//!HOOK ALPHA\nvec4 hook() { return vec4(0.0); }", 1),
        ("\n//!TEXTURE lut\n//!SIZE 16 16\nff\n", 2),
        ("\n//!TEXTURE lut\n//!SIZE 1 1\n//!FORMAT r8\nfffe\n", 2),
        ("//!TEXTURE lut\n//!SIZE 1 1\n//!FORMAT r8\n\nxy\n", 5),
        ("//!BUFFER state\n//!VAR float a\n", 1),
        ("//!HOOK MAIN\n//!OFFSET 0.5\nvec4 hook() { return vec4(0.0); }", 2),
        ("//!PARAM a\n//!TYPE float\n//!MINIMUM nan\n0.5\n//!HOOK MAIN\n", 3),
        ("//!PARAM a\n//!TYPE float\ninf\n//!HOOK MAIN\n", 1),
        ("//!HOOK MAIN\n//!BIND NOTHING\nvec4 hook() { return vec4(0.0); }", 2),
        ("//!PARAM a; float f() { while (true) {} } uniform float b\n//!TYPE float\n1.0\n", 1),
        ("//!PARAM a(b)\n//!TYPE DEFINE\n1\n", 1),
        ("\n//!TEXTURE a, b\n//!SIZE 1\n//!FORMAT r8\nff\n", 2),
        ("//!HOOK MAIN\n//!SAVE 2x\nvec4 hook() { return vec4(0.0); }", 2),
        ("//!HOOK MAIN\n//!SAVE\nvec4 hook() { return vec4(0.0); }", 2),
        ("//!TEXTURE lut\n//!SIZE 1\n//!FORMAT r8\nffa\n", 1),
    ])
    func `features of mpv that are not supported are refused at their line`(text: String, line: Int)
    {
        #expect {
            try HookImporter.effect(text: text, path: "h.glsl")
        } throws: { error in
            if case .unsupported("h.glsl", line, _) = error as? EffectError { true } else { false }
        }
    }

    /// Drivers keep compiled shaders by their text.
    @Test func `the text of an mpv shader is the same whenever it is read`() throws {
        for stage in ["LUMA", "CHROMA", "NATIVE", "MAIN", "LINEAR", "SIGMOID", "SCALED", "OUTPUT"] {
            let effect = try HookImporter.effect(
                text: "//!HOOK \(stage)\n//!BIND HOOKED\n"
                    + "vec4 hook() { return HOOKED_tex(HOOKED_pos); }\n", path: "h.glsl")
            let text = effect.shaders.flatMap { $0.map(\.text) }.joined()
            let names = text.split(separator: "\n").compactMap { line in
                line.hasPrefix("#define ") && line.contains("_raw ")
                    ? line.split(separator: " ")[1] : nil
            }
            #expect(names == ["HOOKED_raw", "\(stage)_raw"])
        }
    }

    @Test func `a macro in an expression does not make it long beyond all bounds`() {
        let text = "//!PARAM a\n//!TYPE DEFINE\n" + String(repeating: "1", count: 100_000)
        let hook = "\n//!HOOK MAIN\n//!WHEN " + String(repeating: "a ", count: 2000)
        #expect {
            try HookImporter.effect(text: text + hook + "\nvec4 hook() {}\n", path: "h.glsl")
        } throws: { error in
            guard case .malformedHeader("h.glsl", 5, nil, let reason) = error as? EffectError else {
                return false
            }
            return reason.contains("unknown name")
        }
    }

    @Test
    func `a glslViewer shader's own uniforms become inputs, and standard ones do not`() throws {
        let effect = try GLSLImporter.effect(text: Self.plain, path: "plain.frag")
        #expect(effect.inputs.map(\.name) == ["inputImage", "amount"])
        #expect(effect.input(named: "amount")?.label == "How much")
        #expect(effect.input(named: "amount")?.maximum == .float(2))
        #expect(effect.input(named: "amount")?.defaultValue == .float(0.5))
    }

    @Test func `time, size and pointer uniforms of other hosts are set`() throws {
        let sandbox = try GLSLImporter.effect(
            text: """
                uniform float time; uniform vec2 mouse, resolution;
                uniform float speed = 2.0; // @slider 0 4
                void main() { gl_FragColor = vec4(mouse, time * speed, resolution.x); }
                """, path: "sandbox.frag")
        #expect(sandbox.inputs.map(\.name) == ["mouse", "speed"])
        #expect(sandbox.input(named: "speed")?.defaultValue == .float(2))
        #expect(sandbox.input(named: "speed")?.maximum == .float(4))
        let copied = try GLSLImporter.effect(
            text: """
                uniform vec3 iResolution; uniform float iTime; uniform sampler2D iChannel0, iChannel1;
                void mainImage(out vec4 c, vec2 p) { c = texture(iChannel0, p / iResolution.xy) * iTime; }
                void main() { mainImage(gl_FragColor, gl_FragCoord.xy); }
                """, path: "copied.frag")
        #expect(copied.inputs.map(\.name) == ["inputImage", "iChannel1"])
        // A uniform with a slider annotation is an input of the shader.
        let own = try GLSLImporter.effect(
            text: "uniform float time; // @slider 0 1 0.5\nvoid main() {}", path: "own.frag")
        #expect(own.input(named: "time")?.defaultValue == .float(0.5))
    }

    @Test func `iUniform lines of the Shader Toy extension become inputs`() throws {
        let effect = try ShadertoyImporter.effect(
            text: """
                #iUniform float strength = 1.5 in { 0.0, 2.0 }
                #iUniform int count = 3 in { 1, 8 } step 1
                #iUniform color3 tint = color3(1.0, 0.5, 0.0)  // orange
                #iUniform float is_color3
                void mainImage(out vec4 c, vec2 p) { c = vec4(tint * strength, float(count) + is_color3); }
                """, path: "extension.glsl")
        #expect(effect.inputs.map(\.name) == ["strength", "count", "tint", "is_color3"])
        #expect(effect.input(named: "strength")?.defaultValue == .float(1.5))
        #expect(effect.input(named: "strength")?.maximum == .float(2))
        #expect(effect.input(named: "count")?.defaultValue == .long(3))
        #expect(effect.input(named: "count")?.minimum == .long(1))
        #expect(effect.input(named: "tint")?.defaultValue == .color([1, 0.5, 0, 1]))
    }

    @Test
    func `a Shadertoy shader may declare standard uniforms, and others become inputs`() throws {
        let effect = try ShadertoyImporter.effect(
            text: """
                uniform vec3 iResolution; uniform vec3 iChannelResolution[4];
                uniform sampler2D iChannel0;
                uniform float strength; // @slider 0 2 1 "Strength"
                void mainImage(out vec4 c, in vec2 p) {
                    c = texture(iChannel0, p / iResolution.xy) * strength;
                }
                """, path: "own.glsl")
        #expect(effect.inputs.map(\.name) == ["inputImage", "strength"])
        #expect(effect.input(named: "strength")?.maximum == .float(2))
        #expect(effect.input(named: "strength")?.label == "Strength")
        #expect {
            try ShadertoyImporter.effect(
                text: "\nuniform sampler2D noise;\nvoid mainImage(out vec4 c, vec2 p) {}",
                path: "own.glsl")
        } throws: { error in
            if case .unsupported("own.glsl", 2, _) = error as? EffectError { true } else { false }
        }
    }

    @Test(arguments: [
        (0..<25_000).map { "uniform int a\($0);" }.joined(),
        "uniform int " + (0..<60_000).map { "a\($0)," }.joined() + "a;",
    ])
    func `many uniforms take linear time`(declarations: String) {
        #expect {
            try GLSLImporter.effect(text: "\nvoid main() {} " + declarations, path: "many.frag")
        } throws: { error in
            guard case .beyondLimit("many.frag", 2, _) = error as? EffectError else { return false }
            return true
        }
    }

    @Test func `unterminated and malformed uniforms take linear time`() throws {
        for text in [
            String(repeating: "uniform ", count: 60_000),
            String(repeating: "uniform float ", count: 30_000) + ";",
        ] {
            do {
                _ = try GLSLImporter.effect(text: "void main() {} " + text, path: "many.frag")
            } catch {
                #expect("\(error)".utf8.count < 300)
            }
        }
    }

    @Test(arguments: [
        "uniform float amount; // = )(", "uniform float amount; // = 1.2.3",
        "uniform float amount; // = nan", "uniform float amount; // = 1.0/0.0",
        "uniform float amount; // @slider nan inf nan",
    ])
    func `a meaningless default is ignored`(declaration: String) throws {
        let text =
            "#version 330\n\(declaration)\nout vec4 color;\nvoid main() { color = vec4(amount); }"
        let effect = try GLSLImporter.effect(text: text, path: "senseless.frag")
        #expect(effect.input(named: "amount")?.defaultValue == .float(0))
        #expect(effect.input(named: "amount")?.minimum == nil)
    }

    @Test(arguments: [
        ("OUTPUT.w MAIN.w 1.2 * >", 1.0), ("MAIN.w 2 *", 640), ("MAIN.w 3 /", 320.0 / 3),
        ("OUTPUT.w !", 0), ("4 4 =", 1), ("1 2 + 3 -", 0), ("7 4 %", 3),
    ])
    func `reverse Polish notation is evaluated as in mpv`(text: String, expected: Double) throws {
        let expression = try SizeExpression(reversePolish: text) { _ in true }
        #expect(expression.value { $0 == "OUTPUT.w" ? 640 : 320 } == expected)
    }

    @Test(arguments: [("MAIN.w 1.5 /", 43), ("MAIN.w 3 /", 21), ("MAIN.w 0.5 +", 65), ("0", 1)])
    func `sizes are rounded to the nearest pixel as in mpv`(text: String, expected: Int) throws {
        let expression = try SizeExpression(reversePolish: text) { _ in true }
        #expect(expression.pixels { _ in 64 } == expected)
    }

    @Test(arguments: ["1 +", "1 2", "", "X", "1" + String(repeating: " 1 +", count: 30_000)])
    func `an incomplete reverse Polish expression is refused`(text: String) {
        #expect(throws: SizeExpression.ParseError.self) {
            try SizeExpression(reversePolish: text) { _ in false }
        }
    }

    // MARK: Files

    @Test func `an included file outside of the effect's folder is refused`() throws {
        let folder = TemporaryFolder()
        let base = String(folder.appending("secret.glsl").path.dropLast(12))
        try folder.write("secret", to: "secret.glsl")
        try folder.write("float two() { return 2.0; }\n", to: "fx/lib/two.glsl")
        let good = "/*{}*/\n#include \"lib/two.glsl\"\nvoid main() { gl_FragColor = vec4(two()); }"
        try folder.write(good, to: "fx/good.fs")
        let effect = try EffectLibrary.effect(path: base + "/fx/good.fs")
        #expect(effect.shaders[0].contains { $0.path == base + "/fx/lib/two.glsl" })
        #expect(effect.shaders[0].last?.firstLine == 2)
        for name in ["../secret.glsl", "\(base)/secret.glsl", "nothing.glsl", "link.glsl"] {
            try folder.write("/*{}*/\n\n#include \"\(name)\"\nvoid main() {}", to: "fx/bad.fs")
            if name == "link.glsl" {
                try FileManager.default.createSymbolicLink(
                    atPath: base + "/fx/link.glsl", withDestinationPath: base + "/secret.glsl")
            }
            #expect("\(name)") {
                try EffectLibrary.effect(path: base + "/fx/bad.fs")
            } throws: { error in
                if case .inaccessible(base + "/fx/bad.fs", 3, _) = error as? EffectError {
                    true
                } else {
                    false
                }
            }
        }
    }

    @Test func `a cycle of includes is refused`() throws {
        let folder = TemporaryFolder()
        try folder.write("/*{}*/\n#include \"circle.fs\"\nvoid main() {}", to: "circle.fs")
        #expect(throws: EffectError.self) {
            try EffectLibrary.effect(path: folder.appending("circle.fs").path)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import PlayheadEffects
import Testing

@Suite(
    "Names from other shader hosts",
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ForeignShaderTests {
    private static func load(_ text: String, _ name: String) throws -> Effect {
        let folder = TemporaryFolder()
        return try EffectLibrary.effect(path: try folder.write(text, to: name))
    }

    private static func draw(_ effect: Effect) throws -> (result: RGBAImage, source: RGBAImage) {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let instance = EffectInstance(effect)
            let image = bench.draw([instance], fused: false)
            #expect(instance.error == nil)
            return (try #require(image), bench.source)
        }
    }

    private static func isInverted(_ result: RGBAImage, _ source: RGBAImage) -> Bool {
        result.bytes.indices.allSatisfy {
            $0 % 4 == 3 || abs(Int(result.bytes[$0]) + Int(source.bytes[$0]) - 255) <= 1
        }
    }

    @Test(arguments: [
        """
        uniform sampler2D tDiffuse; uniform float opacity; varying vec2 vUv;
        void main() { gl_FragColor = vec4(1.0 - texture2D(tDiffuse, vUv).rgb, 1.0); }
        """,
        """
        varying highp vec2 textureCoordinate; uniform sampler2D inputImageTexture;
        void main() {
            gl_FragColor = vec4(vec3(1.0) - texture2D(inputImageTexture, textureCoordinate).rgb, 1.0);
        }
        """,
        """
        uniform sampler2D tex; uniform vec2 maxUV; in vec2 uv; out vec4 fragColor;
        void main() { fragColor = vec4(1.0 - texture(tex, uv).rgb, 1.0); }
        """,
        """
        void main() {
            vec2 uv = gl_FragCoord.xy / iResolution.xy;
            gl_FragColor = vec4(1.0 - texture(iChannel0, uv).rgb, 1.0);
        }
        """,
        """
        out vec4 color;
        void main(void) {
            color = vec4(1.0 - texture(iChannel0, gl_FragCoord.xy / iChannelResolution[0].xy).rgb, 1.0);
        }
        """,
    ])
    func `the one texture of a filter is the video`(text: String) throws {
        let effect = try Self.load(text, "a.frag")
        #expect(effect.kind == .filter)
        let (result, source) = try Self.draw(effect)
        #expect(Self.isInverted(result, source))
    }

    @Test(
        arguments: [
            (
                """
                /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
                void main() {
                    vec2 place = gl_TexCoord[0].xy;
                    gl_FragColor = vec4(1.0 - texture2D(inputImage, place).rgb, 1.0);
                }
                """, "a.fs"
            ),
            (
                """
                uniform sampler2D tex;
                void main() { gl_FragColor = vec4(1.0 - texture2D(tex, gl_TexCoord[0].st).rgb, 1.0); }
                """, "a.frag"
            ),
        ])
    func `the first texture coordinate is the position in the frame`(
        text: String, name: String
    ) throws {
        let (result, source) = try Self.draw(try Self.load(text, name))
        #expect(Self.isInverted(result, source))
    }

    @Test(arguments: ["/*{}*/\n", "uniform float u_time;\n"])
    func `another texture coordinate is reported with its line`(head: String) throws {
        let text = head + "void main() {\n    gl_FragColor = gl_TexCoord[1];\n}\n"
        let error = #expect(throws: EffectError.self) { try Self.load(text, "a.fs") }
        guard case .unsupported(_, let line, let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(line == 3)
        #expect(
            reason == "no vertex shader writes gl_TexCoord[1]; for the position of a pixel, use "
                + "isf_FragNormCoord")
    }

    @Test(
        arguments: [
            ("gl_Position = ftransform();", "ftransform", "call isf_vertShaderInit()"),
            ("isf_vertShaderInit(); gl_TexCoord[0] = vec4(1.0);", "gl_TexCoord", "'varying vec4'"),
            ("gl_Position = gl_Vertex;", "gl_Vertex", "call isf_vertShaderInit()"),
        ])
    func `a name of the fixed-function pipeline is reported with what to write instead`(
        statement: String, name: String, remedy: String
    ) throws {
        let folder = TemporaryFolder()
        _ = try folder.write("void main() {\n    \(statement)\n}\n", to: "a.vs")
        let effect = try EffectLibrary.effect(
            path: try folder.write("/*{}*/ void main() { gl_FragColor = vec4(1.0); }", to: "a.fs"))
        let found = try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let instance = EffectInstance(effect)
            _ = bench.draw([instance], fused: false)
            return instance.error
        }
        guard case .compilation(_, let diagnostics)? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        let first = try #require(diagnostics.first)
        #expect(first.line == 2)
        #expect(first.message.hasPrefix("'\(name)' is not in GLSL 3.30; "))
        #expect(first.message.contains(remedy))
    }

    @Test func `of two textures neither is guessed to be the video`() throws {
        let effect = try Self.load(
            "uniform sampler2D a, b; varying vec2 vUv;\n"
                + "void main() { gl_FragColor = texture2D(a, vUv) + texture2D(b, vUv); }", "a.frag")
        #expect(effect.inputs.map(\.name) == ["a", "b"])
    }

    @Test(
        arguments: [
            (
                "/*{ \"pixelRatio\": 1 }*/ uniform float time; void main() { gl_FragColor = vec4(time); }",
                .glsl
            ),
            (
                "/*{ \"author\": \"x\" }*/ void mainImage(out vec4 c, vec2 p) { c = vec4(1.0); }",
                .shadertoy
            ),
            ("/* { \"a\": 1 } */ vec4 transition(vec2 p) { return getToColor(p); }", .transition),
            ("/*{ \"author\": \"x\" }*/ void main() { gl_FragColor = vec4(iTime); }", .shadertoy),
            ("/*{}*/ void main() { gl_FragColor = vec4(1.0); }", .isf),
            ("/*{ \"DESCRIPTION\": \"x\" }*/ void main() { gl_FragColor = vec4(TIME); }", .isf),
            (
                "uniform vec3 iResolution; void main() { gl_FragColor = vec4(iResolution, 1.0); }",
                .glsl
            ),
            ("#iChannel0 \"video\"\nvoid main() { gl_FragColor = vec4(1.0); }", .shadertoy),
        ] as [(String, EffectFormat)])
    func `JSON at the head of a file does not make it ISF`(text: String, format: EffectFormat) {
        #expect(FormatDetector.format(of: text) == format)
    }

    @Test(
        arguments: [
            ("gl_FragColor.rgb = vec3(1.0);", 1), ("gl_FragColor = vec4(1.0);", 0),
            ("gl_FragColor.rgb = vec3(1.0); gl_FragColor.a = 1.0;", 0), ("discard;", 0),
            ("gl_FragColor.r = 1.0; gl_FragColor.gb += vec2(1.0);", 1),
        ])
    func `an effect that writes no alpha is warned of`(statement: String, count: Int) throws {
        for head in ["/*{}*/\n", "uniform float u_time;\n"] {
            let effect = try Self.load("\(head)void main() { \(statement) }\n", "a.fs")
            #expect(effect.warnings.count == count)
            #expect(effect.warnings.allSatisfy { $0.isWarning && $0.line == 2 })
        }
    }
}

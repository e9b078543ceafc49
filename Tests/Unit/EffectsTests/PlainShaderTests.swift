// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import Testing

/// GLSL without a header, as in other programs' shaders.
@Suite("Plain shader rendering", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct PlainShaderTests {
    /// Expects red from left to right and green upwards, from 0 to 1, over 4 x 2 pixels.
    private func expectPlaces(_ image: RGBAImage, at location: SourceLocation = #_sourceLocation) {
        #expect([image[0, 0].x, image[3, 0].x] == [32, 223], sourceLocation: location)
        #expect([image[0, 0].y, image[0, 1].y] == [191, 64], sourceLocation: location)
    }

    private func instance(_ text: String) throws -> EffectInstance {
        EffectInstance(try GLSLImporter.effect(text: text, path: "plain.frag"))
    }

    @Test(arguments: [
        "", "varying vec2 v_texcoord;", "in  vec2 v_texcoord ;", "in highp vec2 v_texcoord;",
        "#ifdef MODEL\nvarying vec2 v_texcoord;\n#endif",
        "layout(location = 0) in vec2 v_texcoord;",
        "precision highp float;\nlayout (location = 0) // it\n  smooth in highp vec2 v_texcoord;",
        "centroid varying vec2 v_texcoord;",
        "#if 1\nin vec2 v_texcoord;\n#else\n"
            + "layout(location = 0) in vec2 v_texcoord;\n#endif",
        "struct s { vec2 v_texcoord; };",
    ])
    func `glslViewer's coordinate may be declared in any GLSL syntax`(declaration: String) throws {
        let instance = try instance(
            "\(declaration)\nvoid main() { gl_FragColor = vec4(v_texcoord, 0.0, 1.0); }")
        try GraphicsTest.withContext { context in
            let image = try #require(EffectRig(context).draw(instance))
            expectPlaces(image)
        }
    }

    @Test(arguments: [
        "varying vec2 vUv; // vUv", "in highp vec2 uv;",
        "layout(location = 2) in vec2 out_texcoord;",
        "varying vec2 vTextureCoord, unused;", "varying vec2 unused, texCoordVarying;",
        "#ifdef GL_ES\nvarying mediump vec2 textureCoordinate;\n#else\n"
            + "in vec2 textureCoordinate;\n#endif",
    ])
    func `the position in the frame is available under its common names`(declaration: String) throws
    {
        let names = [
            "vUv", "uv", "out_texcoord", "vTextureCoord", "texCoordVarying", "textureCoordinate",
        ]
        let name = try #require(names.first { declaration.contains(" \($0)") })
        let instance = try instance(
            "\(declaration)\nvoid main() { gl_FragColor = vec4(\(name), 0.0, 1.0); }")
        try GraphicsTest.withContext { context in
            let image = try #require(EffectRig(context).draw(instance))
            expectPlaces(image)
        }
    }

    @Test func `GLSL Sandbox's position is centred with a height of 1`() throws {
        let instance = try instance(
            """
            uniform vec2 surfaceSize;
            varying vec2 surfacePosition;
            varying vec4 v_position;
            void main() {
                gl_FragColor = vec4(surfacePosition / surfaceSize + 0.5, v_position.x, 1.0);
                if (surfacePosition.x > 0.5) gl_FragColor.z = surfaceSize.x / 4.0;
            }
            """)
        #expect(instance.effect.inputs.isEmpty)
        try GraphicsTest.withContext { context in
            let image = try #require(EffectRig(context).draw(instance))
            expectPlaces(image)
            #expect([image[0, 0].z, image[2, 0].z, image[3, 0].z] == [0, 64, 128])
        }
    }

    @Test func `GLSL Sandbox's backbuffer is the previous frame`() throws {
        let instance = try instance(
            """
            uniform sampler2D backbuffer;
            void main() {
                vec4 last = texture2D(backbuffer, gl_FragCoord.xy / vec2(4.0, 2.0));
                gl_FragColor = vec4(last.r + 10.0 / 255.0, 0.0, 0.0, 1.0);
            }
            """)
        #expect(instance.effect.inputs.isEmpty)
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            let values = (1...3).map { _ in rig.draw(instance)?[1, 1].x }
            #expect(values == [10, 20, 30])
        }
    }

    @Test(arguments: [
        "void shade(out vec4 color, in float x) { color = vec4(0.0, x, 0.0, x); }\n"
            + "void main() { vec4 c; shade(c, 1.0); gl_FragColor = c; }",
        "layout(location = 0) out mediump vec4 color;\nvoid main() { color = vec4(0, 1, 0, 1); }",
        "void f(out vec4 a) { a = vec4(0); }\nout /* it */ vec4 color;\n"
            + "void main() { color = vec4(0, 1, 0, 1); }",
        "// out vec4 c;\n#extension GL_FOO_bar : disable /* not\n defined */\n"
            + "void main() { gl_FragColor = vec4(0, 1, 0, 1); }",
    ])
    func `plain shaders write to their declared output or to OpenGL's`(text: String) throws {
        let instance = try instance(text)
        try GraphicsTest.withContext { context in
            #expect(EffectRig(context).draw(instance)?[1, 1] == [0, 255, 0, 255])
        }
    }
}

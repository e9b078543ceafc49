// SPDX-License-Identifier: Apache-2.0

/// Reads GLSL fragment shaders with a `main` of their own, told what glslViewer tells.
///
/// `u_time`, `u_delta`, `u_frame`, `u_date`, `u_resolution`, `u_mouse`, the film as `u_tex0`, and the
/// buffers that `#ifdef BUFFER_0` and `#ifdef DOUBLE_BUFFER_0` ask for. Where they are declared without a
/// default, so are `time`, `resolution` and `mouse` (from 0 to 1), as in GLSL Sandbox, and Shadertoy's names. All
/// other uniforms become inputs.
///
/// - Corresponds to: https://github.com/patriciogonzalezvivo/glslViewer.
public enum GLSLImporter {
    /// - Throws: `EffectError.unsupported`, `.beyondLimit`, `.inaccessible`.
    public static func effect(
        text: String, path: String, folder: EffectFolder? = nil
    ) throws(EffectError) -> Effect {
        try ISFImporter.Limits.check(text, path: path, firstLine: 1)
        let text = ShaderText.withLineFeeds(text)
        let code = ShaderText.withoutComments(text)
        for name in [
            "POSTPROCESSING", "BACKGROUND", "CONVOLUTION_PYRAMID_0", "FLOOD_0", "SCENE_BUFFER_0",
        ]
        where ShaderText.mentions(name, in: code) {
            let place = ShaderText.ranges(of: name, in: Array(code.utf8)).first?.lowerBound ?? 0
            throw .unsupported(
                path: path, line: ShaderText.line(at: place, in: Array(code.utf8)),
                reason: "glslViewer's \(name) is not supported; BUFFER_0 and DOUBLE_BUFFER_0 are")
        }
        let scanner = try UniformScanner(text, path: path, firstLine: 1)
        var inputs: [EffectInput] = []
        let given = scanner.declarations.compactMap { declaration in
            GivenUniforms.text(of: declaration).map { (name: declaration.name, text: $0) }
        }
        if ShaderText.mentions("u_tex0", in: code)
            || given.contains(where: { $0.text == "inputImage" })
        {
            inputs.append(EffectInput(name: "inputImage", kind: .image))
        }
        if ShaderText.mentions("u_mouse", in: code)
            || given.contains(where: { ShaderText.mentions("playheadMouse", in: $0.text) })
        {
            var mouse = EffectInput(name: "mouse", kind: .point2D)
            mouse.uniformName = "playheadMouse"
            mouse.label = "Mouse, from 0 to 1"
            inputs.append(mouse)
        }
        let buffers = self.buffers(in: code)
        for declaration in scanner.declarations where !isGiven(declaration.name) {
            guard let input = declaration.input,
                !given.contains(where: { $0.name == input.name }),
                !inputs.contains(where: { $0.name == input.name }),
                !buffers.contains(where: { $0.picture == input.name })
            else { continue }
            inputs.append(input)
        }
        let body = try IncludeExpander(folder: folder).expand(
            Effect.Source(text: scanner.text, path: path, firstLine: 1)
        ).map {
            Effect.Source(
                text: withoutCoordinate($0.text), path: $0.path, firstLine: $0.firstLine)
        }
        let prologue = prologue + given.map { "#define \($0.name) \($0.text)\n" }.joined()
        var passes: [EffectPass] = []
        var shaders: [[Effect.Source]] = []
        for buffer in buffers {
            passes.append(
                EffectPass(
                    shader: shaders.count, target: buffer.picture,
                    isPersistent: buffer.isDouble, precision: .float))
            shaders.append([.generated(prologue + "#define \(buffer.define) 1\n")] + body)
        }
        passes.append(EffectPass(shader: shaders.count))
        shaders.append([.generated(prologue)] + body)
        var effect = Effect(
            name: EffectLibrary.name(ofPath: path), path: path, format: .glsl, inputs: inputs,
            shaders: shaders)
        effect.passes = passes
        try ISFImporter.Limits.check(effect)
        return effect
    }

    private struct Buffer {
        let define: String
        let picture: String
        let isDouble: Bool
    }

    /// glslViewer counts them from 0; those that a shader mentions are there.
    private static func buffers(in code: String) -> [Buffer] {
        let all = (0..<8).flatMap { index in
            [
                Buffer(define: "BUFFER_\(index)", picture: "u_buffer\(index)", isDouble: false),
                Buffer(
                    define: "DOUBLE_BUFFER_\(index)", picture: "u_doubleBuffer\(index)",
                    isDouble: true),
            ]
        }
        return all.filter { ShaderText.mentions($0.define, in: code) }.sorted {
            !$0.isDouble && $1.isDouble
        }
    }

    private static func isGiven(_ name: String) -> Bool {
        [
            "u_time", "u_delta", "u_frame", "u_date", "u_resolution", "u_mouse", "u_pixelDensity",
            "u_tex0", "u_tex0Resolution",
        ].contains(name)
    }

    /// A text with spaces in place of its declarations of `v_texcoord`, which glslViewer's shaders carry
    /// and which the prologue's macro would make ones of `isf_FragNormCoord`.
    private static func withoutCoordinate(_ text: String) -> String {
        guard ShaderText.mentions("v_texcoord", in: text) else { return text }
        var bytes = Array(text.utf8)
        let code = ShaderTokens(JoinedText(bytes)).code
        for index in code.indices
        where code[index].text == "v_texcoord" && code[index].enclosing == nil
            && code.text(index + 1) == ";" && code.text(index - 1) == "vec2"
        {
            var start = index - 1
            var qualifiers: Set<String> = []
            while let before = qualifier(before: start, in: code) {
                qualifiers.insert(code[before].text)
                start = before
            }
            guard !qualifiers.isDisjoint(with: ["in", "varying"]) else { continue }
            for place in code[start].offset...code[index + 1].offset
            where !ShaderText.isSpace(bytes[place]) {
                bytes[place] = UInt8(ascii: " ")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where what qualifies a declaration begins, if it does so right before a token.
    private static func qualifier(before index: Int, in code: [ShaderToken]) -> Int? {
        guard code.indices.contains(index - 1), code[index - 1].branch == code[index].branch else {
            return nil
        }
        if code[index - 1].text == ")", let open = code[index - 1].partner {
            return code.text(open - 1) == "layout" ? open - 1 : nil
        }
        return coordinateQualifiers.contains(code[index - 1].text) ? index - 1 : nil
    }

    private static let coordinateQualifiers: Set<String> = [
        "in", "varying", "lowp", "mediump", "highp", "smooth", "flat", "noperspective", "centroid",
    ]

    private static let prologue = """
        #define u_time playheadTIME
        #define u_delta playheadTIMEDELTA
        #define u_frame playheadFRAMEINDEX
        #define u_date playheadDATE
        #define u_resolution playheadRENDERSIZE
        #define u_mouse (playheadMouse * playheadRENDERSIZE)
        #define u_pixelDensity 1.0
        #define u_tex0 inputImage
        #define u_tex0Resolution IMG_SIZE(inputImage)
        #define v_texcoord isf_FragNormCoord

        """
}

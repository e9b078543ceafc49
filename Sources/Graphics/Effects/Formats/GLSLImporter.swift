// SPDX-License-Identifier: Apache-2.0

/// Imports GLSL fragment shaders with their own `main` and the uniforms of glslViewer.
///
/// The uniforms of glslViewer are `u_time`, `u_delta`, `u_frame`, `u_date`, `u_resolution`,
/// `u_mouse`, the video as `u_tex0`, and the buffers of `#ifdef BUFFER_0` and
/// `#ifdef DOUBLE_BUFFER_0`. A uniform that is declared without a default also gets its value from
/// the host if it has a name of GLSL Sandbox (`time`, `resolution`, `mouse` from 0 to 1,
/// `surfaceSize`, `backbuffer`) or of Shadertoy. All other uniforms become inputs. The only
/// supported varying is the position in the frame, under any of its common names.
///
/// - Corresponds to: https://github.com/patriciogonzalezvivo/glslViewer.
package enum GLSLImporter {
    /// Creates an effect from the text of a file.
    ///
    /// - Throws: `EffectError.unsupported`, `.beyondLimit`, `.inaccessible`.
    package static func effect(
        text: String, path: String, folder: EffectFolder? = nil
    ) throws(EffectError) -> Effect {
        let text = ShaderText.withLineFeeds(text)
        try SourceLimits.check(text, path: path, firstLine: 1)
        let code = ShaderText.withoutComments(text)
        for name in [
            "POSTPROCESSING", "BACKGROUND", "CONVOLUTION_PYRAMID_0", "FLOOD_0", "SCENE_BUFFER_0",
        ]
        where ShaderText.mentions(name, in: code) {
            let place = ShaderText.ranges(of: name, in: Array(code.utf8)).first?.lowerBound ?? 0
            throw .unsupported(
                path: path, line: ShaderText.line(at: place, in: Array(code.utf8)),
                reason: "glslViewer's \(name) is not supported; use BUFFER_0 or DOUBLE_BUFFER_0")
        }
        let scanner = try UniformScanner(text, path: path, firstLine: 1)
        var inputs: [EffectInput] = []
        let given = scanner.declarations.compactMap { declaration in
            HostUniforms.text(of: declaration).map { (name: declaration.name, text: $0) }
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
                !buffers.contains(where: { $0.picture == input.name }),
                !isLastPicture(declaration)
            else { continue }
            inputs.append(input)
        }
        // If there is only one texture, it is the video, regardless of its name.
        let textures = inputs.filter { $0.kind == .image }
        let film = textures.count == 1 && !textures[0].isAnnotated ? textures[0].name : "inputImage"
        if film != "inputImage" {
            inputs.removeAll { $0.kind == .image }
            inputs.insert(EffectInput(name: "inputImage", kind: .image), at: 0)
        }
        let body = try IncludeExpander(folder: folder).expand(
            ShaderSource(text: scanner.text, path: path, firstLine: 1)
        )
        let places = self.places(in: body)
        let known = Set(places.keys).union(["v_texcoord"])
        try ShaderVaryings.check(body, written: known)
        try FixedFunctionNames.check(body)
        let pieces = body.map {
            ShaderSource(
                text: ShaderVaryings($0.text).text(without: known), path: $0.path,
                firstLine: $0.firstLine)
        }
        let prologue =
            prologue + places.keys.sorted().map { "in \(types[$0] ?? "vec2") \($0);\n" }.joined()
            + given.map { "#define \($0.name) \($0.text)\n" }.joined()
            + (film == "inputImage" ? "" : "#define \(film) inputImage\n")
        var passes: [EffectPass] = []
        var shaders: [[ShaderSource]] = []
        for buffer in buffers {
            passes.append(
                EffectPass(
                    shader: shaders.count, target: buffer.picture,
                    isPersistent: buffer.isDouble, precision: .float))
            shaders.append([.generated(prologue + "#define \(buffer.define) 1\n")] + pieces)
        }
        let keepsPicture = scanner.declarations.contains(where: isLastPicture)
        passes.append(
            EffectPass(
                shader: shaders.count, target: keepsPicture ? lastPicture : nil,
                isPersistent: keepsPicture))
        shaders.append([.generated(prologue)] + pieces)
        var effect = Effect(
            name: EffectName.name(ofPath: path), path: path, format: .glsl, inputs: inputs,
            shaders: shaders)
        effect.passes = passes
        effect.varyings = places
        let output = EffectSource.outputName(effect.format, pieces) ?? "gl_FragColor"
        if let warning = AlphaCheck.warning(pieces, output: output) {
            effect.warnings.append(warning)
        }
        try SourceLimits.check(effect.shaders, vertex: effect.vertex)
        return effect
    }

    private struct Buffer {
        let define: String
        let picture: String
        let isDouble: Bool
    }

    /// Returns the buffers that the shader mentions. glslViewer numbers them from 0.
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

    /// The name of the previous frame in GLSL Sandbox.
    private static let lastPicture = "backbuffer"

    private static func isLastPicture(_ declaration: UniformScanner.Declaration) -> Bool {
        declaration.name == lastPicture && declaration.input?.kind == .image
            && declaration.input?.isAnnotated == false
    }

    /// Returns the varyings that shaders of other programs read, with their expressions. All of
    /// them are the position in the frame, in different forms: variables with common names range
    /// from 0 to 1, GLSL Sandbox's `surfacePosition` is around the centre with a height of 1, and
    /// glslViewer's `v_position` is in clip space.
    private static func places(in pieces: [ShaderSource]) -> [String: String] {
        var places: [String: String] = [:]
        for piece in pieces {
            let varyings = ShaderVaryings(piece.text)
            for name in varyings.names(ofType: "vec2") where name != "v_texcoord" {
                let plain = name.lowercased().filter { $0 != "_" }
                if placeNames.contains(plain) { places[name] = "isf_corner" }
                if name == "surfacePosition" {
                    places[name] = "(isf_corner - 0.5) * vec2(playheadAspect, 1.0)"
                }
            }
            if varyings.names(ofType: "vec4").contains("v_position") {
                places["v_position"] = "vec4(isf_corner * 2.0 - 1.0, 0.0, 1.0)"
            }
        }
        return places
    }

    private static let types = ["v_position": "vec4"]

    /// The common names of the position in the frame, in lower case without underscores.
    private static let placeNames: Set<String> = [
        "uv", "vuv", "fraguv", "texcoord", "texcoords", "vtexcoord", "vtexcoords", "fragtexcoord",
        "outtexcoord", "texcoordvarying", "texturecoord", "vtexturecoord", "texturecoordinate",
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

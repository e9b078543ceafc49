// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// Converts a shader of an effect to GLSL 3.30 by adding the declarations of its format in front of
/// it.
///
/// Line and column numbers of the author's text stay the same: a `#line` directive precedes each
/// piece, and the only name that has to change, `gl_FragColor`, is replaced by one of the same
/// length.
struct EffectSource {
    let effect: Effect
    /// The index of the effect's shader.
    let shader: Int
    /// The pass for which the shader is compiled, or nil for several passes.
    let passIndex: Int?
    /// The values of the inputs, in the order of the effect. Each value becomes a constant in the
    /// shader; nil for an input that stays a uniform. With constants, the compiler evaluates
    /// expressions once and removes unused code.
    let values: [EffectValue?]?
    /// A Boolean value that indicates whether integers, and the results of functions, are converted
    /// to unsigned integers implicitly. These are rules of OpenGL 4.0 and 4.2, which drivers used
    /// to apply to older shaders too. The default is false, because those versions reserve words
    /// that authors use as names, such as `sample`.
    var isLenient = false
    /// The capabilities of the context; nil for desktop OpenGL 3.3.
    let capabilities: GLCapabilities?
    /// The images that passes bind under other names.
    let bindings: [EffectPass.Binding]
    /// A Boolean value that indicates whether `inputImage` is read by a second sampler at the
    /// current pixel.
    private let hasPixelSampler: Bool
    /// A Boolean value that indicates whether the fragment shader reads its position by the name of
    /// the fixed-function pipeline.
    private let hasTexturePosition: Bool

    private static let output = ReservedNames.output
    /// A second sampler of `inputImage` for reads at the current pixel. It does not interpolate,
    /// which halves the time on software OpenGL. The name is as long as `inputImage`, so columns
    /// stay the same.
    static let pixelSampler = "playheadIn"

    init(
        effect: Effect, shader: Int, passIndex: Int? = nil,
        values: [EffectValue?]? = nil, capabilities: GLCapabilities? = nil
    ) {
        self.values = values
        self.capabilities = capabilities
        self.effect = effect
        self.shader = shader
        self.passIndex = passIndex
        bindings = effect.passes.first { $0.shader == shader }?.bindings ?? []
        hasPixelSampler = Self.hasPixelSampler(effect, effect.shaders[shader])
        hasTexturePosition = FixedFunctionNames.isPosition(
            in: effect.format, effect.shaders[shader], vertex: effect.vertex)
        outputName = Self.outputName(effect.format, effect.shaders[shader]) ?? Self.output
    }

    private var pieces: [ShaderSource] { effect.shaders[shader] }

    /// The name of the output variable. If the shader declares an output, as in GLSL 3.30, this is
    /// its name.
    let outputName: String

    /// Returns the name of the output that a shader declares, or nil if it writes to
    /// `gl_FragColor`.
    static func outputName(_ format: EffectFormat, _ pieces: [ShaderSource]) -> String? {
        guard format == .glsl || format == .shadertoy else { return nil }
        for piece in pieces where ShaderText.mentions("out", in: piece.text) {
            let code = ShaderTokens(JoinedText(Array(piece.text.utf8))).code
            // In parentheses, `out` qualifies a parameter.
            for index in code.indices
            where code[index].text == "out" && code[index].enclosing == nil {
                let hasPrecision = ["lowp", "mediump", "highp"].contains(code.text(index + 1))
                let type = index + (hasPrecision ? 2 : 1)
                if code.text(type) == "vec4", code.isName(type + 1) { return code[type + 1].text }
            }
        }
        return nil
    }

    // MARK: Files

    /// The file for each source string number, with which the compiler's log is parsed.
    var fragmentPaths: [String] { Self.paths(pieces) }
    var vertexPaths: [String] { Self.paths(effect.vertex) }

    /// Returns the path for each file number. The author's file has the number 0, although
    /// generated text precedes it, because drivers that do not support file numbers always
    /// report 0.
    private static func paths(_ pieces: [ShaderSource]) -> [String] {
        var paths: [String] = []
        for piece in pieces
        where piece.path != ShaderSource.generatedPath && !paths.contains(piece.path) {
            paths.append(piece.path)
        }
        return paths + [ShaderSource.generatedPath]
    }

    /// Converts a driver's log to diagnostics that refer to the author's files.
    func diagnostics(log: String, stage: GLShaderStage) -> [ShaderDiagnostic] {
        let isVertex = stage == .vertex
        let sources = (isVertex ? effect.vertex : pieces).map { ($0, ShaderText.lines($0.text)) }
        return ShaderDiagnostic.parse(log: log, paths: isVertex ? vertexPaths : fragmentPaths)
            .map {
                $0.located(in: sources).explained(
                    in: effect.format, declared: declaredNames, stage: stage)
            }
    }

    /// The names that are declared in front of the author's text.
    private var declaredNames: Set<String> {
        guard effect.format == .isf else { return [] }
        return ReservedNames.declared.union(effect.inputs.map(\.name)).union(
            Self.pictureNames(of: effect))
    }

    // MARK: Text

    var fragment: String {
        if let compute { return computeText(compute) }
        let paths = fragmentPaths
        let own = paths.count - 1
        var text = version + Self.extensions(pieces, paths) + preamble
        text += Self.lineDirective(1, own) + common + Self.biased + passDeclaration
        text += "#define varying in\n"
        text += LoopGuard.declaration
        text += "\(interpolation)in vec2 isf_FragNormCoord;\n"
        if hasTexturePosition { text += FixedFunctionNames.declaration }
        if outputName == Self.output { text += "out vec4 \(Self.output);\n" }
        text += declarations
        return text + joined(pieces, paths)
    }

    /// The work groups of the pass, or nil for a fragment shader.
    var compute: EffectPass.Compute? {
        effect.passes.first { $0.shader == shader }?.compute
    }

    /// The text of a compute shader, which can use the names of a fragment shader and mpv's
    /// `out_image`.
    private func computeText(_ compute: EffectPass.Compute) -> String {
        let paths = fragmentPaths
        var text = version + Self.extensions(pieces, paths) + preamble
        text += Self.lineDirective(1, paths.count - 1) + common + passDeclaration
        text += LoopGuard.declaration
        text += """
            layout(local_size_x = \(compute.threadsX), local_size_y = \(compute.threadsY)) in;
            layout(rgba16f, binding = 0) writeonly uniform highp image2D out_image;
            #define isf_FragNormCoord ((vec2(gl_GlobalInvocationID.xy) + 0.5) / playheadRENDERSIZE)

            """
        return text + declarations + joined(pieces, paths)
    }

    var vertex: String {
        let paths = vertexPaths
        var text = version + Self.extensions(effect.vertex, paths) + preamble
        text += Self.lineDirective(1, paths.count - 1) + common + passDeclaration
        text += """
            #define varying out
            \(LoopGuard.declaration)
            layout(location = 0) in vec2 isf_corner;
            \(interpolation)out vec2 isf_FragNormCoord;
            void isf_vertShaderInit() {
                isf_FragNormCoord = isf_corner;
                gl_Position = vec4(isf_corner * 2.0 - 1.0, 0.0, 1.0);
            }
            #define vv_vertShaderInit isf_vertShaderInit

            """
        text += declarations
        guard effect.vertex.isEmpty else { return text + joined(effect.vertex, paths) }
        if effect.format == .glsl {
            let varyings = effect.varyings.sorted { $0.key < $1.key }
            return text
                + varyings.map { "out \($1.hasPrefix("vec4(") ? "vec4" : "vec2") \($0);\n" }
                .joined()
                + "void main() {\n    isf_vertShaderInit();\n"
                + varyings.map { "    \($0) = \($1);\n" }.joined() + "}\n"
        }
        return text + "void main() { isf_vertShaderInit(); }\n"
    }

    /// Returns a `#line` directive. The file is encoded in the line number too, because Mesa loses
    /// the file number in errors about expressions (`YYLLOC_DEFAULT` in `glsl_parser.yy` sets it to
    /// 0).
    static func lineDirective(_ line: Int, _ file: Int) -> String {
        "#line \(file * ShaderDiagnostic.linesPerFile + line) \(file)\n"
    }

    private func joined(_ pieces: [ShaderSource], _ paths: [String]) -> String {
        var texts = pieces.map { piece in
            var own = ShaderText.replacing(
                "gl_FragColor", by: Self.output, in: Self.withoutExtensions(piece.text))
            if hasTexturePosition { own = FixedFunctionNames.replaced(in: own) }
            if hasPixelSampler {
                for function in ["IMG_THIS_PIXEL", "IMG_THIS_NORM_PIXEL"] {
                    own = ShaderText.replacing(
                        "\(function)(inputImage)", by: "\(function)(\(Self.pixelSampler))", in: own)
                }
            }
            return own.hasSuffix("\n") ? own : own + "\n"
        }
        // The loops of built-in effects are known to end.
        if !effect.isBuiltIn { texts = LoopGuard(texts).guarded }
        var text = ""
        for (piece, own) in zip(pieces, texts) {
            text += Self.lineDirective(piece.firstLine, paths.firstIndex(of: piece.path) ?? 0) + own
        }
        return text
    }

    /// The `#version` line, and the extensions that lenient rules need. From version 3.1 on, OpenGL
    /// ES has an extension for the rules about integers.
    private var version: String {
        let strict =
            effect.format == .hook
            ? hookVersion : capabilities?.shaderVersion ?? "#version 330 core\n"
        guard isLenient else { return strict }
        guard capabilities?.isES == true else {
            return strict + "#extension GL_ARB_gpu_shader5 : enable\n"
                + "#extension GL_ARB_shading_language_420pack : enable\n"
        }
        return "#version 310 es\n#extension GL_EXT_shader_implicit_conversions : enable\n"
    }

    /// The `#version` line of a shader in mpv's format: the newest GLSL of the driver, up to 4.5,
    /// as in mpv.
    private var hookVersion: String {
        guard let capabilities else { return "#version 450 core\n" }
        if capabilities.isES {
            return capabilities.hasComputeShaders
                ? "#version 310 es\n" : capabilities.shaderVersion
        }
        return capabilities.version >= 40
            ? "#version \(min(capabilities.version, 45))0 core\n" : capabilities.shaderVersion
    }

    /// The interpolation qualifier of varyings. The default quad has no perspective, so
    /// `noperspective` avoids a division for every pixel on software OpenGL. OpenGL ES does not
    /// have this qualifier.
    private var interpolation: String {
        effect.vertex.isEmpty && capabilities?.isES != true ? "noperspective " : ""
    }

    private var preamble: String { capabilities?.shaderPreamble ?? "" }

    // MARK: Declarations

    /// Returns the format's name for a standard ISF variable. Authors of other formats do not know
    /// ISF's names and may use them for their own variables.
    static func standardName(_ name: String, in format: EffectFormat) -> String {
        format == .isf ? name : "playhead" + name
    }

    private func named(_ name: String) -> String { Self.standardName(name, in: effect.format) }

    /// The variables and functions of ISF. The variables and functions of the other formats are
    /// defined in terms of them. Images always fill their textures and are upright.
    private var common: String {
        """
        #define PLAYHEAD 1
        #define vv_FragNormCoord isf_FragNormCoord
        #define texture2D texture
        #define IMG_SIZE(image) vec2(textureSize(image, 0))
        #define texture2DRect(image, pixel) texture(image, (pixel) / IMG_SIZE(image))
        #define IMG_THIS_NORM_PIXEL(image) texture(image, isf_FragNormCoord)
        #define IMG_THIS_PIXEL(image) texture(image, isf_FragNormCoord)
        uniform vec2 \(named("RENDERSIZE"));
        uniform float playheadAspect;
        uniform float \(named("TIME"));
        uniform float \(named("TIMEDELTA"));
        uniform vec4 \(named("DATE"));
        uniform int \(named("FRAMEINDEX"));
        uniform vec2 playheadOutputSize;
        vec4 IMG_NORM_PIXEL(sampler2D image, vec2 coordinate) {
            return texture(image, coordinate);
        }
        vec4 IMG_PIXEL(sampler2D image, vec2 pixel) {
            return texture(image, pixel * (1.0 / IMG_SIZE(image)));
        }

        """
    }

    /// The functions with a bias of the mipmap level, as in VVISF. Vertex shaders have no such
    /// functions.
    private static let biased = """
        vec4 IMG_NORM_PIXEL(sampler2D image, vec2 coordinate, float bias) {
            return texture(image, coordinate, bias);
        }
        vec4 IMG_PIXEL(sampler2D image, vec2 pixel, float bias) {
            return texture(image, pixel * (1.0 / IMG_SIZE(image)), bias);
        }

        """

    /// The names of the images that the shader reads, in the order of their samplers.
    var samplerNames: [String] {
        switch effect.format {
        case .isf, .transition, .glsl, .cube:
            return Self.pictureNames(of: effect) + (hasPixelSampler ? [Self.pixelSampler] : [])
        case .shadertoy, .hook:
            var names: [String] = []
            for binding in bindings
            where !names.contains(binding.sampler) && !isStorage(binding.sampler) {
                names.append(binding.sampler)
            }
            return names
        }
    }

    /// The names of the tables that the shader writes, each with its image unit. Unit 0 is the
    /// target of a compute shader.
    var storage: [(name: String, unit: Int)] {
        var names: [String] = []
        for binding in bindings
        where !names.contains(binding.sampler) && isStorage(binding.sampler) {
            names.append(binding.sampler)
        }
        return names.enumerated().map { ($1, $0 + 1) }
    }

    private func isStorage(_ name: String) -> Bool {
        effect.tables.contains { $0.isStorage && $0.name == name }
    }

    /// Returns the names of all images that a shader can read.
    static func pictureNames(of effect: Effect) -> [String] {
        var names = effect.inputs.filter(\.isSampler).map(\.name)
        names += effect.importedImages.map(\.name).filter { !effect.isFace($0) }
        names += effect.cubeMaps.map(\.name)
        for target in effect.passes.compactMap(\.target) where !names.contains(target) {
            names.append(target)
        }
        return names
    }

    private static func hasPixelSampler(_ effect: Effect, _ pieces: [ShaderSource]) -> Bool {
        effect.format == .isf && effect.vertex.isEmpty
            && effect.inputs.contains { $0.name == "inputImage" && $0.kind == .image }
            && pictureNames(of: effect).count < EffectLimits.textureUnits
            && (effect.isBuiltIn || pieces.allSatisfy { !namesParameter("inputImage", $0.text) })
    }

    /// Returns whether a function or macro of a text has a parameter with this name.
    private static func namesParameter(_ name: String, _ text: String) -> Bool {
        let tokens = ShaderTokens(JoinedText(Array(text.utf8)))
        // A name that follows a type is being declared.
        return tokens.code.indices.contains {
            tokens.code[$0].text == name && tokens.code.isName($0 - 1)
        }
            || tokens.directives.contains {
                ShaderMacro($0)?.parameters.contains(name) == true
            }
    }

    /// The declarations for the positions of images relative to the frame, and for the format of
    /// the stored planes.
    private var hookDeclarations: String {
        var text = "uniform vec2 playheadInputSize;\n"
        for name in samplerNames { text += "uniform vec2 playheadShift_\(name);\n" }
        guard effect.requirements.storedPlanes else { return text }
        return text + """
            uniform mat3 playheadPlaneMatrix;
            uniform float playheadPlaneScale;
            uniform int playheadPlaneCount;
            uniform vec3 playheadDecodeLuma;
            uniform vec3 playheadDecodeBlue;
            uniform vec3 playheadDecodeRed;
            uniform vec3 playheadDecodeOffset;
            uniform vec2 playheadChromaScale;

            """
    }

    private var passDeclaration: String {
        let name = named("PASSINDEX")
        return passIndex.map { "const int \(name) = \($0);\n" } ?? "uniform int \(name);\n"
    }

    private var declarations: String {
        var text = ""
        for (index, input) in effect.inputs.enumerated() where !input.isSampler {
            let type = input.uniformType
            let value = (values?[index] ?? nil) ?? (input.isConstant ? input.defaultValue : nil)
            if let literal = value?.literal(type) {
                text += "const \(type.rawValue) \(input.uniformName) = \(literal);\n"
            } else {
                text += "uniform \(type.rawValue) \(input.uniformName);\n"
            }
        }
        if effect.format == .hook { text += hookDeclarations }
        for (name, unit) in storage {
            guard let table = effect.tables.first(where: { $0.name == name }) else { continue }
            text +=
                "layout(\(table.imageFormat), binding = \(unit)) "
                + "coherent uniform highp \(table.imageType) \(name);\n"
        }
        for name in samplerNames {
            let table = effect.tables.first { $0.name == name }
            let picture = bindings.first { $0.sampler == name }?.picture ?? name
            let isCube = effect.cubeMaps.contains { $0.name == picture }
            let type =
                table.map { "highp \($0.samplerType)" }
                ?? (isCube ? "highp samplerCube" : "sampler2D")
            text += """
                uniform \(type) \(name);
                #define _\(name)_imgRect vec4(0.0, 0.0, 1.0, 1.0)
                #define _\(name)_imgSize IMG_SIZE(\(name))
                #define _\(name)_flip false

                """
        }
        return text
    }
}

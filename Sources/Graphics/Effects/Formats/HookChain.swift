// SPDX-License-Identifier: Apache-2.0

/// Makes passes of an mpv shader's blocks, stage by stage.
///
/// Rows run downwards in mpv's textures, and so they do here: the first pass turns the picture
/// over, and the last turns it back. So offsets mean what the shader's author meant.
struct HookChain {
    /// Where blocks hook in, in the order in which the picture passes them.
    enum Stage: String, CaseIterable {
        case luma = "LUMA"
        case chroma = "CHROMA"
        case native = "NATIVE"
        case rgb = "RGB"
        case main = "MAIN"
        case preKernel = "PREKERNEL"
        case postKernel = "POSTKERNEL"
        case scaled = "SCALED"
        case output = "OUTPUT"

        /// Whether it holds Y'CbCr.
        var isEncoded: Bool { self == .luma || self == .chroma || self == .native }
        /// Whether it has the size at which the picture is seen.
        var isScaled: Bool { self == .postKernel || self == .scaled || self == .output }
    }

    let path: String
    private(set) var passes: [EffectPass] = []
    private(set) var shaders: [[ShaderSource]] = []
    private(set) var parameters: [EffectInput] = []
    private var defines = ""
    /// The names of pictures that there are so far.
    private var names: Set<String> = []
    /// The name of the picture as it has become.
    private var current = "RGB"
    private var hasScaled = false

    init(path: String) { self.path = path }

    // MARK: Parameters

    mutating func addParameter(_ block: HookBlock) throws(EffectError) {
        guard let parameter = block.parameter else { return }
        var words = parameter.type.split(separator: " ").map { String($0) }
        let isDefine = words.contains("DEFINE")
        let isMenu = words.contains("ENUM")
        words.removeAll { ["DYNAMIC", "CONSTANT", "ENUM", "DEFINE"].contains($0) }
        let lines = ShaderText.lines(block.body).map { ShaderText.trimmed($0) }
            .filter { !$0.isEmpty }
        func refused(_ reason: String) -> EffectError {
            .unsupported(path: path, line: parameter.line, reason: reason)
        }
        if isDefine {
            defines += "#define \(parameter.name) \(lines.first ?? "0")\n"
            return
        }
        guard ["float", "int", "uint"].contains(words.first ?? "float"),
            let type = EffectInput.UniformType(rawValue: words.first ?? "float")
        else { throw refused("the parameter '\(parameter.name)' has TYPE '\(parameter.type)'") }
        var input = EffectInput(name: parameter.name, uniformType: type)
        input.label = block.summary.isEmpty ? parameter.name : block.summary
        if isMenu {
            // The choices, one a line; the first is the default.
            for (index, line) in lines.enumerated() {
                input.choices.append(EffectInput.Choice(value: Int32(index), label: String(line)))
                defines += "#define \(line) \(index)\n"
            }
        } else {
            guard let number = lines.first.flatMap({ Float($0) }), number.isFinite else {
                throw refused("the parameter '\(parameter.name)' has no default below it")
            }
            input.defaultValue = Self.value(number, type)
        }
        input.minimum = parameter.minimum.map { Self.value($0, type) }
        input.maximum = parameter.maximum.map { Self.value($0, type) }
        parameters.append(input)
    }

    private static func value(_ number: Float, _ type: EffectInput.UniformType) -> EffectValue {
        type == .float ? .float(number) : .long(Int32(max(-2e9, min(2e9, number)).rounded()))
    }

    // MARK: Stages

    /// What every shader begins with: the picture, turned over.
    mutating func begin() {
        addGenerated(
            "gl_FragColor = texture(inputImage, "
                + "vec2(isf_FragNormCoord.x, 1.0 - isf_FragNormCoord.y));",
            reads: ["inputImage"], target: "RGB", like: "inputImage")
    }

    /// The blocks that hook a stage, in the order of the file.
    mutating func add(_ stage: Stage, _ blocks: [HookBlock]) throws(EffectError) {
        if stage == .luma, blocks.contains(where: { $0.hooks.contains { $0.stage.isEncoded } }) {
            split()
        }
        // Luma and chroma come together in NATIVE, and NATIVE becomes RGB again.
        if stage == .native, names.contains("LUMA") { join() }
        if stage == .rgb, names.contains("NATIVE_ENCODED") { decode() }
        if stage == .native, !names.contains("LUMA") { name("NATIVE", as: current) }
        if stage == .main { name("MAIN", as: current) }
        let hooked = blocks.filter { $0.hooks.contains { $0.stage == stage } }
        guard !hooked.isEmpty else { return }
        if stage.isScaled, !hasScaled {
            hasScaled = true
            addGenerated(
                "gl_FragColor = texture(\(current), isf_FragNormCoord);", reads: [current],
                target: "SCALED", like: nil)
            current = "SCALED"
        }
        if !names.contains(stage.rawValue) || stage == .output {
            name(stage.rawValue, as: current)
        }
        for block in hooked { try add(block, to: stage) }
        if stage != .luma, stage != .chroma { current = stage.rawValue }
    }

    /// What every shader ends with: the picture, turned back, at the size at which it is seen.
    mutating func end() {
        addGenerated(
            "gl_FragColor = texture(\(current), "
                + "vec2(isf_FragNormCoord.x, 1.0 - isf_FragNormCoord.y));",
            reads: [current], target: nil, like: nil)
    }

    /// BT.709, item 3.2 and 3.3, full range: luma, and chroma about one half.
    private static let encode = """
        vec4 source = texture(RGB, isf_FragNormCoord);
            float luma = dot(source.rgb, vec3(0.2126, 0.7152, 0.0722));
            vec2 chroma = (source.br - luma) / vec2(1.8556, 1.5748) + 0.5;
        """

    private mutating func split() {
        addGenerated(
            Self.encode + "\n    gl_FragColor = vec4(luma, 0.0, 0.0, 1.0);", reads: ["RGB"],
            target: "LUMA", like: "RGB")
        addGenerated(
            Self.encode + "\n    gl_FragColor = vec4(chroma, 0.0, 1.0);", reads: ["RGB"],
            target: "CHROMA", like: "RGB")
    }

    private mutating func join() {
        addGenerated(
            """
            gl_FragColor = vec4(texture(LUMA, isf_FragNormCoord).r, \
            texture(CHROMA, isf_FragNormCoord).rg, texture(RGB, isf_FragNormCoord).a);
            """, reads: ["LUMA", "CHROMA", "RGB"], target: "NATIVE", like: "LUMA")
        names.insert("NATIVE_ENCODED")
        current = "NATIVE"
    }

    private mutating func decode() {
        addGenerated(
            """
            vec4 source = texture(NATIVE, isf_FragNormCoord);
                vec2 chroma = source.gb - 0.5;
                float red = source.r + 1.5748 * chroma.y;
                float blue = source.r + 1.8556 * chroma.x;
                float green = (source.r - 0.2126 * red - 0.0722 * blue) / 0.7152;
                gl_FragColor = vec4(red, green, blue, source.a);
            """, reads: ["NATIVE"], target: "RGB", like: "NATIVE")
        current = "RGB"
    }

    // MARK: Passes

    private mutating func name(_ name: String, as picture: String) {
        guard name != picture else { return }
        var pass = EffectPass(target: name, precision: .half)
        pass.alias = picture
        passes.append(pass)
        names.insert(name)
    }

    /// A pass of our own.
    ///
    /// - Parameter like: the picture whose size it has; nil for that at which the picture is seen.
    private mutating func addGenerated(
        _ statement: String, reads: [String], target: String?, like: String?
    ) {
        let size = { (axis: String) -> SizeExpression? in
            like.map { SizeExpression(text: $0 + axis, root: .variable($0 + axis)) }
        }
        passes.append(
            EffectPass(
                shader: shaders.count, target: target, precision: target == nil ? .eightBit : .half,
                width: size(".w"), height: size(".h"),
                bindings: reads.map { EffectPass.Binding(sampler: $0, picture: $0) }))
        shaders.append([.generated("void main() {\n    \(statement)\n}\n")])
        if let target { names.insert(target) }
    }

    private mutating func add(_ block: HookBlock, to stage: Stage) throws(EffectError) {
        var prologue = Self.prologue + defines
        var bound: Set<String> = []
        var bindings: [EffectPass.Binding] = []
        for binding in block.bindings {
            let picture = binding.name == "HOOKED" ? stage.rawValue : binding.name
            guard names.contains(picture) else {
                throw .unsupported(
                    path: path, line: binding.line,
                    reason: "there is no picture '\(binding.name)' at the stage \(stage.rawValue)")
            }
            for name in Set([binding.name, picture]) where bound.insert(name).inserted {
                prologue += Self.macros(name, for: picture)
            }
            bindings.append(EffectPass.Binding(sampler: picture, picture: picture))
        }
        if bound.insert("HOOKED").inserted {
            prologue += Self.macros("HOOKED", for: stage.rawValue)
            bindings.append(
                EffectPass.Binding(sampler: stage.rawValue, picture: stage.rawValue))
        }
        if bound.insert(stage.rawValue).inserted {
            prologue += Self.macros(stage.rawValue, for: stage.rawValue)
        }
        let target = block.saved ?? stage.rawValue
        func size(
            _ text: (text: String, line: Int)?, _ axis: String
        ) throws(EffectError) -> SizeExpression {
            try expression(text, stage)
                ?? SizeExpression(
                    text: stage.rawValue + axis, root: .variable(stage.rawValue + axis))
        }
        var pass = EffectPass(
            shader: shaders.count, target: target, precision: .half,
            width: try size(block.width, ".w"), height: try size(block.height, ".h"),
            condition: try expression(block.condition, stage), bindings: bindings)
        pass.summary = block.summary
        passes.append(pass)
        shaders.append([
            .generated(prologue),
            ShaderSource(text: block.body, path: path, firstLine: block.bodyLine),
            .generated("void main() { gl_FragColor = hook(); }\n"),
        ])
        names.insert(target)
    }

    private func expression(
        _ text: (text: String, line: Int)?, _ stage: Stage
    ) throws(EffectError) -> SizeExpression? {
        guard let text else { return nil }
        // `HOOKED` is the picture of the stage.
        let words = text.text.split(separator: " ").map {
            $0.hasPrefix("HOOKED.") ? stage.rawValue + $0.dropFirst(6) : String($0)
        }
        do throws(SizeExpression.ParseError) {
            return try SizeExpression(reversePolish: words.joined(separator: " ")) { name in
                if parameters.contains(where: { $0.name == name }) { return true }
                guard name.hasSuffix(".w") || name.hasSuffix(".h") else { return false }
                return name.hasPrefix("OUTPUT.") || name.hasPrefix("NATIVE_CROPPED.")
                    || names.contains(String(name.dropLast(2)))
            }
        } catch {
            throw .malformedHeader(
                path: path, line: text.line, column: nil, reason: error.description)
        }
    }

    /// What mpv gives every shader.
    private static let prologue = """
        #define frame playheadFRAMEINDEX
        #define random fract(sin(float(playheadFRAMEINDEX) * 12.9898) * 43758.5453)
        #define input_size IMG_SIZE(inputImage)
        #define target_size playheadOutputSize
        #define tex_offset vec2(0.0)

        """

    /// What mpv gives for a bound picture.
    private static func macros(_ name: String, for picture: String) -> String {
        """
        #define \(name)_raw \(picture)
        #define \(name)_size vec2(textureSize(\(picture), 0))
        #define \(name)_pt (1.0 / \(name)_size)
        #define \(name)_pos isf_FragNormCoord
        #define \(name)_off vec2(0.0)
        #define \(name)_rot mat2(1.0)
        #define \(name)_mul 1.0
        #define \(name)_tex(pos) texture(\(picture), pos)
        #define \(name)_texOff(off) texture(\(picture), isf_FragNormCoord + \(name)_pt * vec2(off))
        #define \(name)_map(id) ((vec2(id) + 0.5) * \(name)_pt)

        """
    }
}

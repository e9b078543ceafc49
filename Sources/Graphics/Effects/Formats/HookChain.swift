// SPDX-License-Identifier: Apache-2.0

/// Converts the blocks of an mpv shader to passes, stage by stage.
///
/// In mpv's textures, the first row is the top row. The first pass flips the image and the last
/// pass flips it back, so that offsets have the direction that the author intended.
struct HookChain {
    /// The stages between decoder and screen, in order.
    enum Stage: String, CaseIterable {
        case luma = "LUMA"
        case chroma = "CHROMA"
        case chromaScaled = "CHROMA_SCALED"
        case native = "NATIVE"
        case rgb = "RGB"
        case mainBeforeSubtitles = "MAINPRESUB"
        case main = "MAIN"
        case linear = "LINEAR"
        case sigmoid = "SIGMOID"
        case preKernel = "PREKERNEL"
        case postKernel = "POSTKERNEL"
        case scaled = "SCALED"
        case output = "OUTPUT"

        /// A Boolean value that indicates whether the image has planes of Y'CbCr, separate or
        /// joined.
        var isEncoded: Bool {
            self == .luma || self == .chroma || self == .chromaScaled || self == .native
        }
        /// A Boolean value that indicates whether the image has the size at which it is shown.
        var isScaled: Bool { self == .postKernel || self == .scaled || self == .output }
    }

    let path: String
    private(set) var passes: [EffectPass] = []
    private(set) var shaders: [[ShaderSource]] = []
    private(set) var parameters: [EffectInput] = []
    private(set) var tables: [EffectTable] = []
    /// A Boolean value that indicates whether the stored planes of the video are read.
    private(set) var readsPlanes = false
    private var defines = ""
    /// The texts of parameters that are macros. Expressions may name such parameters too.
    private var definitions: [String: String] = [:]
    /// The names in initial values of constants. If a parameter has such a name, it is a constant,
    /// too.
    private let constants: Set<String>
    /// The names of the images that exist so far.
    private var names: Set<String> = []
    /// The names of all images that blocks read or whose size they use.
    private let wanted: Set<String>
    /// The name of the image that the passes so far have produced.
    private var current = "RGB"
    private var hasScaled = false
    /// The condition of the passes that convert planes to R'G'B'.
    private var planeCondition: String?

    init(path: String, blocks: [HookBlock]) {
        self.path = path
        var wanted: Set<String> = []
        for block in blocks {
            wanted.formUnion(block.bindings.lazy.map(\.name))
            for text in [block.width, block.height, block.condition].compactMap({ $0?.text }) {
                for word in text.split(whereSeparator: \.isWhitespace) {
                    wanted.insert(String(word.prefix { $0 != "." }))
                }
            }
        }
        self.wanted = wanted
        constants = blocks.reduce(into: []) {
            if $1.table == nil { $0.formUnion(Self.namesInConstants($1.body)) }
        }
    }

    /// Returns the names in the initial values of `const` variables, and in the macros that these
    /// use. OpenGL does not accept uniforms there (GLSL 4.50, clause 4.3), although some compilers
    /// do.
    private static func namesInConstants(_ text: String) -> Set<String> {
        guard ShaderText.mentions("const", in: text) else { return [] }
        let tokens = ShaderTokens(JoinedText(Array(text.utf8)))
        let code = tokens.code
        var names: Set<String> = []
        for index in code.indices where code[index].text == "const" {
            // Parameters of functions may be constant as well, without a value.
            if let bracket = code[index].enclosing, code[bracket].text == "(" { continue }
            names.formUnion(
                code[index...].lazy.prefix { $0.text != ";" }.filter(\.isName).map(\.text))
        }
        var bodies: [String: Set<String>] = [:]
        for macro in tokens.directives.lazy.compactMap({ ShaderMacro($0) }) {
            let words = macro.tokens[macro.body].lazy.filter(\.isName).map(\.text)
            bodies[macro.name, default: []].formUnion(words)
        }
        var waiting = Array(names)
        while let name = waiting.popLast() {
            for word in bodies[name] ?? [] where names.insert(word).inserted {
                waiting.append(word)
            }
        }
        return names
    }

    // MARK: Parameters and tables

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
            let text = lines.first.map { String($0) } ?? "0"
            defines += "#define \(parameter.name) \(text)\n"
            // A longer text would only make expressions too long.
            let isShort = text.utf8.count <= SizeExpression.maximumLength
            definitions[parameter.name] = isShort ? text : nil
            return
        }
        guard ["float", "int", "uint"].contains(words.first ?? "float"),
            let type = EffectInput.UniformType(rawValue: words.first ?? "float")
        else {
            throw refused(
                "the parameter '\(parameter.name)' has TYPE '\(parameter.type)'; "
                    + "float, int, uint and DEFINE are supported")
        }
        var input = EffectInput(name: parameter.name, uniformType: type)
        input.isConstant =
            parameter.type.split(separator: " ").contains("CONSTANT")
            || constants.contains(parameter.name)
        input.label = block.summary.isEmpty ? parameter.name : block.summary
        if isMenu {
            // The choices, one in each line. The first is the default.
            for (index, line) in lines.enumerated() {
                input.choices.append(EffectInput.Choice(value: Int32(index), label: String(line)))
                defines += "#define \(line) \(index)\n"
            }
        } else {
            guard let number = lines.first.flatMap({ Float($0) }), number.isFinite else {
                throw refused(
                    "the parameter '\(parameter.name)' has no default value below its //! lines")
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

    mutating func addTable(_ block: HookBlock) throws(EffectError) {
        guard let table = block.table else { return }
        tables.append(try block.readTable(table))
        names.insert(table.name)
    }

    // MARK: Stages

    /// Adds the first pass of every shader, which flips the image.
    mutating func begin() {
        addGenerated(
            "gl_FragColor = texture(inputImage, "
                + "vec2(isf_FragNormCoord.x, 1.0 - isf_FragNormCoord.y));",
            reads: ["inputImage"], target: "RGB", like: "inputImage")
    }

    private func isWanted(_ stage: Stage, _ blocks: [HookBlock]) -> Bool {
        wanted.contains(stage.rawValue)
            || blocks.contains { $0.hooks.contains { $0.stage == stage } }
    }

    /// Returns the precision of the R'G'B' image. The image is not rounded if no block reads it
    /// before it is converted to linear light. This is as in mpv, which rounds only the images that
    /// it stores: the images that blocks read, and the image that is scaled.
    private func precision(ofRGB blocks: [HookBlock]) -> EffectPass.Precision {
        let stored: [Stage] = [.rgb, .mainBeforeSubtitles, .main, .preKernel]
        let light: [Stage] = [.linear, .sigmoid]
        return light.contains { isWanted($0, blocks) } && !stored.contains { isWanted($0, blocks) }
            ? .float : .half
    }

    /// Adds the blocks that hook a stage, in the order of the file.
    mutating func add(_ stage: Stage, _ blocks: [HookBlock]) throws(EffectError) {
        switch stage {
        case .luma:
            // If the input has no planes, R'G'B' is converted to planes only if a block reads
            // planes and no block uses the stage `RGB`.
            let isRead =
                Stage.allCases.contains { $0.isEncoded && isWanted($0, blocks) }
                && !blocks.contains { $0.hooks.contains { $0.stage == .rgb } }
            planeCondition = isRead ? nil : "STORED"
            split(evenUnstored: isRead)
        case .chromaScaled where isWanted(stage, blocks): scaleChroma()
        case .native where names.contains("LUMA"):
            join(isWanted(.native, blocks) ? .half : .float)
        case .rgb where names.contains("NATIVE"): decode(precision(ofRGB: blocks))
        default: break
        }
        let hooked = blocks.filter { $0.hooks.contains { $0.stage == stage } }
        // Later blocks can bind the image of an earlier stage.
        guard !hooked.isEmpty || wanted.contains(stage.rawValue) else { return }
        switch stage {
        case .luma, .chroma, .chromaScaled, .native, .rgb: break
        case .linear:
            addGenerated(Self.linearize, reads: [current], target: stage.rawValue, like: current)
        case .sigmoid:
            addGenerated(Self.sigmoidize, reads: [current], target: stage.rawValue, like: current)
        default:
            if stage.isScaled, !hasScaled {
                hasScaled = true
                addGenerated(
                    "gl_FragColor = texture(\(current), isf_FragNormCoord + playheadFinalShift());",
                    reads: [current], target: "playheadScaled", like: nil)
                current = "playheadScaled"
            }
            name(stage.rawValue, as: current)
        }
        for block in hooked { try add(block, to: stage) }
        guard !hooked.isEmpty else { return }
        switch stage {
        case .luma, .chroma, .chromaScaled: break
        case .linear, .sigmoid:
            let target = "playheadFrom\(stage.rawValue)"
            addGenerated(
                stage == .linear ? Self.delinearize : Self.unsigmoidize, reads: [stage.rawValue],
                target: target, like: stage.rawValue, base: stage.rawValue)
            current = target
        default: current = stage.rawValue
        }
    }

    /// Adds the last pass of every shader, which flips the image back and scales it to the size at
    /// which it is shown. Where the video is opaque, the result is opaque too: as in mpv, the alpha
    /// that the blocks write is then ignored.
    mutating func end() {
        addGenerated(
            """
            gl_FragColor = texture(\(current), \
            vec2(isf_FragNormCoord.x, 1.0 - isf_FragNormCoord.y) + playheadFinalShift());
                if (texture(inputImage, isf_FragNormCoord).a >= 1.0) gl_FragColor.a = 1.0;
            """, reads: [current, "inputImage"], target: nil, like: nil)
    }

    /// Returns the text of a function that returns a shift. The shift is added to the position at
    /// which the image is sampled.
    ///
    /// An image that already has the displayed size is moved by whole pixels, because a shift of
    /// half a pixel would blur it. mpv does the same unless it is started with
    /// `--scaler-resizes-only=no`. Halves are rounded away from zero; a thousandth of a pixel
    /// covers the error of the division by the size.
    private static func finalShift(of image: String) -> String {
        """
        vec2 playheadFinalShift() {
            vec2 size = vec2(textureSize(\(image), 0));
            if (size != playheadRENDERSIZE) return playheadShift_\(image);
            vec2 pixels = playheadShift_\(image) * size;
            return sign(pixels) * floor(abs(pixels) + 0.501) / size;
        }

        """
    }

    // MARK: Planes

    /// The statements that compute luma and chroma from R'G'B', for images without planes:
    /// full-range Y'CbCr of BT.709, items 3.2 and 3.3.
    private static let encode = """
        vec4 source = texture(RGB, isf_FragNormCoord);
            float luma = dot(source.rgb, vec3(0.2126, 0.7152, 0.0722));
            vec2 chroma = (source.br - luma) / vec2(1.8556, 1.5748) + 0.5;
        """

    /// Adds passes that make `LUMA` and `CHROMA`, from which R'G'B' is made again later.
    private mutating func split(evenUnstored: Bool) {
        readsPlanes = true
        let stored =
            "(playheadPlaneMatrix * vec3(isf_FragNormCoord.x, 1.0 - isf_FragNormCoord.y, 1.0)).xy"
        addGenerated(
            "gl_FragColor = vec4(texture(playheadPlane0, \(stored)).r * playheadPlaneScale, "
                + "0.0, 0.0, 1.0);",
            reads: Self.planes, target: "LUMA", like: "inputImage", condition: "STORED",
            precision: .float, plane: .luma)
        addGenerated(
            """
            vec2 place = \(stored);
                vec2 chroma = playheadPlaneCount == 1 ? texture(playheadPlane0, place).gb
                    : playheadPlaneCount == 2 ? texture(playheadPlane1, place).rg
                    : vec2(texture(playheadPlane1, place).r, texture(playheadPlane2, place).r);
                gl_FragColor = vec4(chroma * playheadPlaneScale, 0.0, 1.0);
            """, reads: Self.planes, target: "CHROMA", like: "CHROMA_STORED", condition: "STORED",
            hasSiting: true, precision: .float, plane: .chroma)
        guard evenUnstored else { return }
        addGenerated(
            Self.encode + "\n    gl_FragColor = vec4(luma, 0.0, 0.0, 1.0);", reads: ["RGB"],
            target: "LUMA", like: "RGB", condition: "UNSTORED")
        addGenerated(
            Self.encode + "\n    gl_FragColor = vec4(chroma, 0.0, 1.0);", reads: ["RGB"],
            target: "CHROMA", like: "RGB", condition: "UNSTORED")
    }

    /// The samplers of the stored planes.
    private static let planes = ["playheadPlane0", "playheadPlane1", "playheadPlane2"]

    /// The position in `CHROMA` of a position in `LUMA`. If the size of the video is odd, a part of
    /// the last chroma sample is outside of the frame.
    private static let chromaPosition =
        "(isf_FragNormCoord - playheadShift_LUMA) * playheadChromaScale + playheadShift_CHROMA"

    private mutating func scaleChroma() {
        addGenerated(
            "gl_FragColor = texture(CHROMA, \(Self.chromaPosition));", reads: ["CHROMA", "LUMA"],
            target: "CHROMA_SCALED", like: "LUMA", base: "LUMA")
    }

    private mutating func join(_ precision: EffectPass.Precision) {
        let isScaled = names.contains("CHROMA_SCALED")
        let chroma =
            isScaled
            ? "texture(CHROMA_SCALED, isf_FragNormCoord).rg"
            : "texture(CHROMA, \(Self.chromaPosition)).rg"
        addGenerated(
            """
            gl_FragColor = vec4(texture(LUMA, isf_FragNormCoord).r, \(chroma), \
            texture(RGB, isf_FragNormCoord - playheadShift_LUMA).a);
            """, reads: ["LUMA", isScaled ? "CHROMA_SCALED" : "CHROMA", "RGB"], target: "NATIVE",
            like: "LUMA", base: "LUMA", condition: planeCondition, precision: precision)
        current = "NATIVE"
    }

    private mutating func decode(_ precision: EffectPass.Precision) {
        addGenerated(
            """
            vec4 source = texture(NATIVE, isf_FragNormCoord);
                vec3 color = source.r * playheadDecodeLuma + source.g * playheadDecodeBlue
                    + source.b * playheadDecodeRed + playheadDecodeOffset;
                gl_FragColor = vec4(color, source.a);
            """, reads: ["NATIVE"], target: "RGB", like: "NATIVE", base: "NATIVE",
            condition: planeCondition, precision: precision)
        current = "RGB"
    }

    // MARK: Light

    /// The functions of mpv's transfer curve for video: BT.1886 without a black level.
    static let curves = """
        vec4 linearize(vec4 color) { return vec4(pow(max(color.rgb, 0.0), vec3(2.4)), color.a); }
        vec4 delinearize(vec4 color) {
            return vec4(pow(max(color.rgb, 0.0), vec3(1.0 / 2.4)), color.a);
        }

        """

    private static var linearize: String { "gl_FragColor = linearize(playheadRead);" }
    private static var delinearize: String { "gl_FragColor = delinearize(playheadRead);" }
    /// The functions of mpv's sigmoid, with a centre of 0.75 and a slope of 6.5.
    private static let sigmoid = """
        const float center = 0.75;
            const float slope = 6.5;
            float low = 1.0 / (1.0 + exp(slope * center));
            float range = 1.0 / (1.0 + exp(slope * (center - 1.0))) - low;
        """
    private static let sigmoidize =
        sigmoid + """

                vec4 color = linearize(playheadRead);
                vec3 light = clamp(color.rgb, 0.0, 1.0);
                vec3 curve = center - log(1.0 / (light * range + low) - 1.0) / slope;
                gl_FragColor = vec4(curve, color.a);
            """
    private static let unsigmoidize =
        sigmoid + """

                vec4 color = playheadRead;
                vec3 light = (1.0 / (1.0 + exp(slope * (center - color.rgb))) - low) / range;
                gl_FragColor = delinearize(vec4(light, color.a));
            """

    // MARK: Passes

    private mutating func name(_ name: String, as image: String) {
        guard name != image else { return }
        var pass = EffectPass(target: name, precision: .half)
        pass.alias = image
        passes.append(pass)
        names.insert(name)
    }

    /// Adds a generated pass.
    ///
    /// - Parameters:
    ///   - like: The image whose size the pass has; nil for the size at which the result is shown.
    ///   - base: The image whose shift the pass's image has.
    ///   - precision: `.float` for planes, because `.half` cannot represent the codes of every
    ///     format exactly.
    ///   - plane: The stored plane that the pass copies. Its format may replace the precision.
    private mutating func addGenerated(
        _ statement: String, reads: [String], target: String?, like: String?,
        base: String? = nil, condition: String? = nil, hasSiting: Bool = false,
        precision: EffectPass.Precision = .half, plane: EffectPass.Plane? = nil
    ) {
        let size = { (axis: String) -> SizeExpression? in
            like.map { SizeExpression(text: $0 + axis, root: .variable($0 + axis)) }
        }
        var pass = EffectPass(
            shader: shaders.count, target: target, precision: target == nil ? .eightBit : precision,
            width: size(".w"), height: size(".h"),
            condition: condition.map { SizeExpression(text: $0, root: .variable($0)) },
            bindings: reads.map { EffectPass.Binding(sampler: $0, picture: $0) })
        pass.shift = EffectPass.Shift(base: base, hasSiting: hasSiting)
        pass.copiedPlane = plane
        passes.append(pass)
        var prologue = "#define playheadRead texture(\(reads[0]), isf_FragNormCoord)\n"
        if ShaderText.mentions("playheadFinalShift", in: statement) {
            prologue += Self.finalShift(of: reads[0])
        }
        if ShaderText.mentions("linearize", in: statement)
            || ShaderText.mentions("delinearize", in: statement)
        {
            prologue += Self.curves
        }
        shaders.append([.generated("\(prologue)void main() {\n    \(statement)\n}\n")])
        if let target { names.insert(target) }
    }

    private mutating func add(_ block: HookBlock, to stage: Stage) throws(EffectError) {
        // As in mpv, the image is aligned if the block reads it by the name HOOKED. If the block
        // reads it only by the name of the stage, the image stays where it is, and only the result
        // counts as aligned.
        var isAligned = false
        if case .align = block.offset {
            isAligned = block.bindings.contains { $0.name == "HOOKED" }
        }
        var prologue = Self.prologue(block) + defines
        var bound: Set<String> = []
        var bindings: [EffectPass.Binding] = []
        for binding in block.bindings {
            let image = binding.name == "HOOKED" ? stage.rawValue : binding.name
            guard names.contains(image) else {
                throw .unsupported(
                    path: path, line: binding.line,
                    reason: "there is no image '\(binding.name)' at the stage \(stage.rawValue)")
            }
            let table = tables.first { $0.name == image }
            if let table { prologue += Self.macros(of: table, in: block.body) }
            for name in [binding.name, image]
            where bound.insert(name).inserted && table == nil {
                prologue += Self.macros(
                    name, for: image, isAligned: isAligned && image == stage.rawValue)
            }
            bindings.append(
                EffectPass.Binding(
                    sampler: table == nil ? Self.sampler(of: image) : image, picture: image))
        }
        if bound.insert("HOOKED").inserted {
            prologue += Self.macros("HOOKED", for: stage.rawValue, isAligned: isAligned)
            bindings.append(
                EffectPass.Binding(
                    sampler: Self.sampler(of: stage.rawValue), picture: stage.rawValue))
        }
        if bound.insert(stage.rawValue).inserted {
            prologue += Self.macros(stage.rawValue, for: stage.rawValue, isAligned: isAligned)
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
            condition: try condition(of: block, stage), bindings: bindings)
        pass.summary = block.summary
        pass.compute = block.compute?.size
        pass.needsImages = true
        switch block.offset {
        case .align: pass.shift = EffectPass.Shift()
        case .pixels(let pixels):
            pass.shift = EffectPass.Shift(base: stage.rawValue, pixels: pixels)
        case nil: pass.shift = EffectPass.Shift(base: stage.rawValue)
        }
        passes.append(pass)
        shaders.append([
            .generated(prologue),
            ShaderSource(text: block.body, path: path, firstLine: block.bodyLine),
            .generated(
                block.compute == nil
                    ? "void main() { gl_FragColor = hook(); }\n" : "void main() { hook(); }\n"),
        ])
        names.insert(target)
    }

    /// Returns the condition of a block. If the stored planes are read, a block of the stage `RGB`
    /// is skipped for videos with Y'CbCr, which do not have this stage.
    private func condition(
        of block: HookBlock, _ stage: Stage
    ) throws(EffectError) -> SizeExpression? {
        guard stage == .rgb, readsPlanes else { return try expression(block.condition, stage) }
        let text = block.condition.map { ($0.text + " UNSTORED *", $0.line) }
        return try expression(text, stage)
            ?? SizeExpression(text: "UNSTORED", root: .variable("UNSTORED"))
    }

    private func expression(
        _ text: (text: String, line: Int)?, _ stage: Stage
    ) throws(EffectError) -> SizeExpression? {
        guard let text else { return nil }
        do throws(SizeExpression.ParseError) {
            try SizeExpression.checkLength(text.text)
            // `HOOKED` stands for the image of the stage.
            let words = text.text.split(whereSeparator: \.isWhitespace).map {
                $0.hasPrefix("HOOKED.")
                    ? stage.rawValue + $0.dropFirst(6) : definitions[String($0)] ?? String($0)
            }
            return try SizeExpression(reversePolish: words.joined(separator: " ")) { name in
                if name == "UNSTORED" || parameters.contains(where: { $0.name == name }) {
                    return true
                }
                guard name.hasSuffix(".w") || name.hasSuffix(".h") else { return false }
                return name.hasPrefix("OUTPUT.") || name.hasPrefix("NATIVE_CROPPED.")
                    || names.contains(String(name.dropLast(2)))
            }
        } catch {
            throw .malformedHeader(
                path: path, line: text.line, column: nil, reason: error.description)
        }
    }

    /// Returns the variables that every shader can use.
    private static func prologue(_ block: HookBlock) -> String {
        var text = """
            #define frame playheadFRAMEINDEX
            #define random fract(sin(float(playheadFRAMEINDEX) * 12.9898) * 43758.5453)
            #define input_size playheadInputSize
            #define target_size playheadOutputSize
            #define tex_offset vec2(0.0)

            """
        let readsCurves =
            ShaderText.mentions("linearize", in: block.body)
            || ShaderText.mentions("delinearize", in: block.body)
        // Some shaders define these functions themselves.
        let words = ["vec4", "vec3", "float"]
        let hasOwn = words.contains {
            ShaderText.firstRange(of: "\($0) linearize(", in: block.body) != nil
                || ShaderText.firstRange(of: "\($0) delinearize(", in: block.body) != nil
        }
        if readsCurves, !hasOwn { text += curves }
        return text
    }

    /// Returns the name of the uniform for a bound image. The prefix is needed because authors may
    /// name an image like a keyword, such as `in`.
    private static func sampler(of image: String) -> String { "playheadImage_\(image)" }

    /// Returns the macros that libplacebo defines for tables, if the author uses them.
    private static func macros(of table: EffectTable, in body: String) -> String {
        let name = table.name
        let vector = "vec\(table.size.count)"
        let macros =
            table.isStorage
            ? [("size", "_size \(vector)(imageSize(\(name)))")]
            : [
                ("raw", "_raw \(name)"), ("tex", "_tex(pos) texture(\(name), pos)"),
                ("size", "_size textureSize(\(name), 0)"),
            ]
        return (macros + [("pt", "_pt (1.0 / \(name)_size)")]).filter {
            ShaderText.mentions("\(name)_\($0.0)", in: body)
                && ShaderText.firstRange(of: "define \(name)_\($0.0)", in: body) == nil
        }.map { "#define \(name)\($0.1)\n" }.joined()
    }

    /// Returns the macros of a bound image.
    private static func macros(_ name: String, for image: String, isAligned: Bool) -> String {
        let sampler = sampler(of: image)
        let shift = isAligned ? " + playheadShift_\(sampler)" : ""
        return """
            #define \(name)_raw \(sampler)
            #define \(name)_size vec2(textureSize(\(sampler), 0))
            #define \(name)_pt (1.0 / \(name)_size)
            #define \(name)_pos (isf_FragNormCoord\(shift))
            #define \(name)_off (playheadShift_\(sampler) * \(name)_size)
            #define \(name)_rot mat2(1.0)
            #define \(name)_mul 1.0
            #define \(name)_tex(pos) texture(\(sampler), pos)
            #define \(name)_gather(pos, c) textureGather(\(sampler), pos, c)
            #define \(name)_texOff(off) texture(\(sampler), \(name)_pos + \(name)_pt * vec2(off))
            #define \(name)_map(id) ((vec2(id) + 0.5) / playheadRENDERSIZE\(shift))

            """
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Finds the uniforms that a shader declares, with their defaults and what comments say of them.
///
/// Their declarations are then taken out of the text, and what is declared in front of it takes their
/// place. What is read of comments:
///
///     uniform float amount; // = 0.5                          gl-transitions
///     uniform vec3 tint /* = vec3(1.0, 0.5, 0.0) */;
///     uniform float amount; // @slider 0 2 0.5 "How much"     minimum, maximum, default, label
struct UniformScanner {
    /// A uniform as it is declared.
    struct Declaration {
        let type: String
        let name: String
        /// In the text's lines, from 0.
        let line: Int
        var input: EffectInput?
    }

    let path: String
    /// Names that need no value, whatever they are declared as.
    private let given: Set<String>
    private(set) var declarations: [Declaration] = []
    /// The text without the declarations: as many lines, everything else in its column.
    private(set) var text = ""

    /// - Throws: `EffectError.unsupported` for a type that there is no value of; `.beyondLimit`.
    init(
        _ text: String, path: String, firstLine: Int, given: Set<String> = []
    ) throws(EffectError) {
        self.path = path
        self.given = given
        let original = Array(text.utf8)
        let code = ShaderText.withoutComments(original)
        var result = original
        var (line, counted, lastEnd) = (0, 0, -1)
        for range in ShaderText.ranges(of: "uniform", in: code) where range.lowerBound > lastEnd {
            guard let end = code[range.upperBound...].firstIndex(of: UInt8(ascii: ";")) else {
                break
            }
            lastEnd = end
            line += code[counted..<range.lowerBound].count { $0 == UInt8(ascii: "\n") }
            counted = range.lowerBound
            // A comment in the declaration, or behind it in its line.
            let next = code[(end + 1)...].firstIndex {
                [UInt8(ascii: "\n"), UInt8(ascii: ";")].contains($0)
            }
            let lineEnd = next ?? code.endIndex
            let isLast = next.map { code[$0] == UInt8(ascii: "\n") } ?? true
            try declare(
                String(decoding: code[range.upperBound..<end], as: UTF8.self),
                remark: isLast ? Self.comment(original[range.upperBound..<lineEnd]) : "",
                line: line,
                firstLine: firstLine)
            for place in range.lowerBound...end where result[place] != UInt8(ascii: "\n") {
                result[place] = UInt8(ascii: " ")
            }
        }
        self.text = String(decoding: result, as: UTF8.self)
    }

    /// `float a, b = 0.5` in tokens: qualifiers, a type, then names.
    private mutating func declare(
        _ declaration: String, remark: String, line: Int, firstLine: Int
    ) throws(EffectError) {
        var words = declaration.split(whereSeparator: { $0.isWhitespace })
        let qualifiers: Set<Substring> = ["lowp", "mediump", "highp"]
        words.removeAll(where: qualifiers.contains)
        guard let type = words.first else { return }
        let names = words.dropFirst().joined(separator: " ")
        for part in Self.parts(Substring(names)) {
            let halves = part.split(separator: "=", maxSplits: 1)
            guard let name = halves.first.map({ ShaderText.trimmed($0) }),
                !given.contains(String(ShaderText.trimmed(name.prefix { $0 != "[" })))
            else { continue }
            guard let uniformType = EffectInput.UniformType(rawValue: String(type)),
                !name.contains("[")
            else {
                throw .unsupported(
                    path: path, line: firstLine + line,
                    reason: "there is nothing to give a uniform '\(type) \(name)'; types are "
                        + EffectInput.UniformType.allCases.map(\.rawValue).joined(separator: ", "))
            }
            guard declarations.count < ISFImporter.Limits.inputs else {
                throw .beyondLimit(
                    path: path, line: firstLine + line,
                    reason: "it has more than \(ISFImporter.Limits.inputs) uniforms")
            }
            var input = EffectInput(name: String(name), uniformType: uniformType)
            input.isAnnotated = halves.count == 2
            if halves.count == 2 { input.setDefault(halves[1]) }
            if halves.count != 2 || ShaderText.trimmed(Substring(remark)).hasPrefix("@") {
                input.annotate(remark)
            }
            declarations.append(
                Declaration(type: String(type), name: String(name), line: line, input: input))
        }
    }

    /// What stands between commas that are in no parentheses.
    private static func parts(_ text: Substring) -> [Substring] {
        var depth = 0
        return text.split { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return character == "," && depth == 0
        }
    }

    private static func comment(_ bytes: ArraySlice<UInt8>) -> String {
        let text = Substring(String(decoding: bytes, as: UTF8.self))
        if let start = ShaderText.firstRange(of: "/*", in: text),
            let end = ShaderText.firstRange(of: "*/", in: text),
            start.upperBound <= end.lowerBound
        {
            return String(text[start.upperBound..<end.lowerBound])
        }
        return ShaderText.firstRange(of: "//", in: text).map { String(text[$0.upperBound...]) }
            ?? ""
    }
}

extension EffectInput {
    /// Takes a default as GLSL writes it: `0.5`, `true`, `vec2(0.5)`, `vec3(1.0, 0.5, 0.0)`.
    mutating func setDefault(_ text: Substring) {
        var text = ShaderText.trimmed(text)
        if let end = text.firstIndex(of: ";") { text = text[..<end] }
        if let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"),
            open < close
        {
            text = text[text.index(after: open)..<close]
        }
        let parts = text.split(separator: ",").map { ShaderText.trimmed($0) }
        if kind == .bool {
            defaultValue = .bool(parts.first == "true" || parts.first == "1")
            return
        }
        let numbers = parts.compactMap { Self.number($0) }
        guard let first = numbers.first, numbers.count == parts.count else { return }
        func component(_ index: Int) -> Float {
            // One number stands for all of them.
            numbers.count == 1 ? first : index < numbers.count ? numbers[index] : 0
        }
        switch kind {
        case .long: defaultValue = .long(Int32(max(-2e9, min(2e9, first)).rounded()))
        case .float: defaultValue = .float(first)
        case .point2D: defaultValue = .point2D(SIMD2(component(0), component(1)))
        case .color:
            let alpha = uniformType == .vec3 || uniformType == .ivec3 ? 1 : component(3)
            defaultValue = .color(SIMD4(component(0), component(1), component(2), alpha))
        default: break
        }
    }

    /// Takes what a comment beside a declaration says.
    mutating func annotate(_ remark: String) {
        let text = ShaderText.trimmed(Substring(remark))
        if text.hasPrefix("=") {
            isAnnotated = true
            // Behind the value there may be words.
            let value = text.dropFirst()
            if let close = value.lastIndex(of: ")") {
                setDefault(value[...close])
            } else {
                let trimmed = ShaderText.trimmed(value)
                setDefault(trimmed.prefix { !$0.isWhitespace && $0 != ";" && $0 != "," })
            }
        } else if text.hasPrefix("@slider") || text.hasPrefix("@color") || text.hasPrefix("@label")
        {
            isAnnotated = true
            let quoted = text.split(separator: "\"", omittingEmptySubsequences: false)
            if quoted.count >= 2 { label = String(quoted[1]) }
            let numbers = quoted[0].split(separator: " ").dropFirst().compactMap {
                Self.number($0)
            }
            guard text.hasPrefix("@slider") else { return }
            if numbers.count >= 2 {
                minimum = value(numbers[0])
                maximum = value(numbers[1])
            }
            if numbers.count >= 3 { defaultValue = value(numbers[2]) ?? defaultValue }
        }
    }

    private func value(_ number: Float) -> EffectValue? {
        switch kind {
        case .float: .float(number)
        case .long: .long(Int32(max(-2e9, min(2e9, number)).rounded()))
        case .point2D: .point2D(SIMD2(number, number))
        default: nil
        }
    }

    /// Numbers, and products and quotients of them: `1.0 / 3.0`.
    private static func number(_ text: Substring) -> Float? {
        let text = text.hasSuffix("f") ? text.dropLast() : text
        let number =
            Float(text) ?? Float("0" + text) ?? Float(text + "0")
            ?? (try? SizeExpression(String(text)) { _ in false }).map { Float($0.value { _ in 0 }) }
        // Words such as `nan` are read, too, and quotients may be infinite.
        return number.flatMap { $0.isFinite ? $0 : nil }
    }
}

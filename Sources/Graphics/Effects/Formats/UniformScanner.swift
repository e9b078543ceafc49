// SPDX-License-Identifier: Apache-2.0

/// Finds the uniforms that a shader declares, with their defaults and annotations in comments.
///
/// The declarations are removed from the text, because they are generated in front of it. The
/// annotations are:
///
///     uniform float amount; // = 0.5                          gl-transitions
///     uniform vec3 tint /* = vec3(1.0, 0.5, 0.0) */;
///     uniform float amount; // @slider 0 2 0.5 "How much"     minimum, maximum, default, label
struct UniformScanner {
    /// A declared uniform.
    struct Declaration {
        let type: String
        let name: String
        /// The line in the text, from 0.
        let line: Int
        var input: EffectInput?
    }

    let path: String
    /// The names of uniforms that the host sets. They may have any type.
    private let given: Set<String>
    private(set) var declarations: [Declaration] = []
    /// The text without the declarations. Lines and columns stay the same.
    private(set) var text = ""

    /// Scans a text.
    ///
    /// - Throws: `EffectError.unsupported` for a type that inputs cannot have; `.beyondLimit`.
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
            // A comment that follows a declaration on the same line belongs to the last name of the
            // declaration.
            let next = code[(end + 1)...].firstIndex {
                [UInt8(ascii: "\n"), UInt8(ascii: ";")].contains($0)
            }
            let lineEnd = next ?? code.endIndex
            let isLast = next.map { code[$0] == UInt8(ascii: "\n") } ?? true
            try declare(
                code[range.upperBound..<end],
                original: original[range.upperBound..<(isLast ? lineEnd : end)],
                line: line, firstLine: firstLine)
            let start = Self.layout(before: range.lowerBound, in: code)
            for place in start...end where result[place] != UInt8(ascii: "\n") {
                result[place] = UInt8(ascii: " ")
            }
        }
        self.text = String(decoding: result, as: UTF8.self)
    }

    /// Reads a declaration such as `float a, b = 0.5`: qualifiers, a type, then names.
    ///
    /// - Parameter original: The declaration with the comments in it and after it.
    private mutating func declare(
        _ code: ArraySlice<UInt8>, original: ArraySlice<UInt8>, line: Int, firstLine: Int
    ) throws(EffectError) {
        var names = code
        func word() -> String {
            names = names.drop(while: ShaderText.isSpace)
            let word = names.prefix { !ShaderText.isSpace($0) }
            names = names[word.endIndex...]
            return String(decoding: word, as: UTF8.self)
        }
        var type = word()
        while ["lowp", "mediump", "highp"].contains(type) { type = word() }
        guard !type.isEmpty else { return }
        let parts = Self.parts(names)
        let shared = parts.last.map { Self.comment(Self.remarks(of: $0, in: code, original)) } ?? ""
        for part in parts {
            let halves = String(decoding: names[part], as: UTF8.self)
                .split(separator: "=", maxSplits: 1)
            guard let name = halves.first.map({ ShaderText.trimmed($0) }), !name.isEmpty,
                !given.contains(String(ShaderText.trimmed(name.prefix { $0 != "[" })))
            else { continue }
            guard let uniformType = EffectInput.UniformType(rawValue: type),
                !name.utf8.contains(where: { !ShaderText.isWord($0) })
            else {
                throw .unsupported(
                    path: path, line: firstLine + line,
                    reason:
                        "uniforms such as '\(type) \(name.prefix(64))' are not supported; "
                        + "supported types are "
                        + EffectInput.UniformType.allCases.map(\.rawValue).joined(separator: ", "))
            }
            guard declarations.count < SourceLimits.inputs else {
                throw .beyondLimit(
                    path: path, line: firstLine + line,
                    reason: "it has more than \(SourceLimits.inputs) uniforms")
            }
            let own = Self.comment(Self.remarks(of: part, in: code, original))
            let remark = own.isEmpty ? shared : own
            var input = EffectInput(name: String(name), uniformType: uniformType)
            input.isAnnotated = halves.count == 2
            if halves.count == 2, !input.setDefault(halves[1]) {
                throw .unsupported(
                    path: path, line: firstLine + line,
                    reason: "the value of '\(name)' cannot be read: "
                        + "'\(ShaderText.trimmed(halves[1]).prefix(64))'; use constant "
                        + "numbers, such as 1.0 / 3.0 or vec2(0.5, 1.0)")
            }
            if halves.count != 2 || ShaderText.trimmed(Substring(remark)).hasPrefix("@") {
                input.annotate(remark)
            }
            declarations.append(
                Declaration(type: type, name: String(name), line: line, input: input))
        }
    }

    /// Returns the ranges between commas outside of parentheses.
    private static func parts(_ code: ArraySlice<UInt8>) -> [Range<Int>] {
        var depth = 0
        return code.split { byte in
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            return byte == UInt8(ascii: ",") && depth == 0
        }.map { $0.startIndex..<$0.endIndex }
    }

    /// Returns the comments that belong to one of several names, which commas separate. If no name
    /// follows a comma on the same line, the comments between the comma and the end of the line
    /// belong to the name before the comma.
    private static func remarks(
        of part: Range<Int>, in code: ArraySlice<UInt8>, _ original: ArraySlice<UInt8>
    ) -> ArraySlice<UInt8> {
        /// Returns the end of the line; nil if anything other than spaces and comments precedes it.
        func lineEnd(from place: Int) -> Int? {
            let rest = code[place...].prefix { ShaderText.isSpace($0) && $0 != UInt8(ascii: "\n") }
            return rest.endIndex == code.endIndex || code[rest.endIndex] == UInt8(ascii: "\n")
                ? rest.endIndex : nil
        }
        let isFirst = !code[..<part.lowerBound].contains(UInt8(ascii: ","))
        let start = isFirst ? part.lowerBound : lineEnd(from: part.lowerBound) ?? part.lowerBound
        guard part.upperBound < code.endIndex else { return original[start...] }
        return original[start..<(lineEnd(from: part.upperBound + 1) ?? part.upperBound)]
    }

    /// Returns the start of the `layout(…)` qualifier that ends at an offset, or the offset if
    /// there is no qualifier.
    private static func layout(before place: Int, in code: [UInt8]) -> Int {
        guard let close = code[..<place].lastIndex(where: { !ShaderText.isSpace($0) }),
            code[close] == UInt8(ascii: ")"),
            let open = code[..<close].lastIndex(of: UInt8(ascii: "(")),
            let end = code[..<open].lastIndex(where: { !ShaderText.isSpace($0) })
        else { return place }
        let start = code[...end].lastIndex { !ShaderText.isWord($0) }.map { $0 + 1 } ?? 0
        return code[start...end].elementsEqual("layout".utf8) ? start : place
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
    /// Sets the default from a GLSL value: `0.5`, `true`, `vec2(0.5)`, `vec3(1.0, 0.5, 0.0)`.
    ///
    /// - Parameter allowsWords: A Boolean value that indicates whether words may follow.
    /// - Returns: A Boolean value that indicates whether the value was parsed.
    @discardableResult
    mutating func setDefault(_ text: Substring, allowsWords: Bool = false) -> Bool {
        guard let numbers = UniformDefault.numbers(text, allowsWords: allowsWords),
            let first = numbers.first
        else { return false }
        func component(_ index: Int) -> Float {
            // A single number stands for all components.
            numbers.count == 1 ? first : index < numbers.count ? numbers[index] : 0
        }
        switch kind {
        case .bool: defaultValue = .bool(first != 0)
        case .long: defaultValue = .long(Int32(max(-2e9, min(2e9, first)).rounded()))
        case .float: defaultValue = .float(first)
        case .point2D: defaultValue = .point2D(SIMD2(component(0), component(1)))
        case .color:
            let alpha = uniformType == .vec3 || uniformType == .ivec3 ? 1 : component(3)
            defaultValue = .color(SIMD4(component(0), component(1), component(2), alpha))
        default: break
        }
        return true
    }

    /// Applies the annotation of a comment.
    mutating func annotate(_ remark: String) {
        let text = ShaderText.trimmed(Substring(remark))
        if text.hasPrefix("=") {
            isAnnotated = true
            // Words may follow the value.
            setDefault(text.dropFirst(), allowsWords: true)
        } else if text.hasPrefix("@slider") || text.hasPrefix("@color") || text.hasPrefix("@label")
        {
            isAnnotated = true
            let quoted = text.split(separator: "\"", omittingEmptySubsequences: false)
            if quoted.count >= 2 { label = String(quoted[1]) }
            let numbers = quoted[0].split(separator: " ").dropFirst().compactMap {
                UniformDefault.number($0)
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
}

// SPDX-License-Identifier: Apache-2.0

/// The initial value of a uniform in GLSL: `0.5`, `1.0 / 3.0`, `true`, `vec3(1.0, 0.5, 0.0)`,
/// `vec2(1.0) * 0.5`.
enum UniformDefault {
    /// Returns the components of the value. A single number stands for all components. Returns nil
    /// if the text is not a value.
    ///
    /// - Parameter allowsWords: A Boolean value that indicates whether words may follow, as in the
    ///   comment `0.5 how much of it`.
    static func numbers(_ text: Substring, allowsWords: Bool) -> [Float]? {
        let text = ShaderText.trimmed(text)
        guard let (arguments, rest) = constructor(text) else {
            let number = allowsWords ? leadingNumber(text) : number(text)
            return number.map { [$0] }
        }
        let parts = parts(arguments)
        let numbers = parts.compactMap { number(ShaderText.trimmed($0)) }
        guard !numbers.isEmpty, numbers.count == parts.count else { return nil }
        // Other operations are not supported.
        guard let sign = rest.first, "+-*/".contains(sign), !rest.hasPrefix("//") else {
            return allowsWords || rest.isEmpty ? numbers : nil
        }
        let factor = ShaderText.trimmed(rest.dropFirst())
        guard sign == "*" || sign == "/",
            let scale = allowsWords ? leadingNumber(factor) : number(factor), scale != 0
        else { return sign == "-" && allowsWords ? numbers : nil }
        let scaled = numbers.map { sign == "*" ? $0 * scale : $0 / scale }
        return scaled.allSatisfy(\.isFinite) ? scaled : nil
    }

    /// Parses a number or a simple expression: `1.0 / 3.0`, `sqrt(2.0)`. `true` is 1 and `false` is
    /// 0.
    static func number(_ text: Substring) -> Float? {
        if text == "true" { return 1 }
        if text == "false" { return 0 }
        let text = withoutSuffixes(text)
        let plain = (text.hasPrefix(".") ? "0" : "") + text + (text.hasSuffix(".") ? "0" : "")
        let number =
            Float(plain)
            ?? (try? SizeExpression(text) { _ in false }).map { Float($0.value { _ in 0 }) }
        // Words such as `nan` are parsed too, and quotients may be infinite.
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Splits a text at commas outside of parentheses.
    static func parts(_ text: Substring) -> [Substring] {
        var depth = 0
        return text.split { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return character == "," && depth == 0
        }
    }

    private static let constructors: Set<Substring> = [
        "float", "int", "uint", "bool", "vec2", "vec3", "vec4", "ivec2", "ivec3", "ivec4",
        "bvec2", "bvec3", "bvec4",
    ]

    /// Returns the arguments of a constructor such as `vec2(…)` and the text after it.
    private static func constructor(_ text: Substring) -> (arguments: Substring, rest: Substring)? {
        let name = Substring(text.utf8.prefix(while: ShaderText.isWord))
        let call = ShaderText.trimmed(text[name.endIndex...])
        guard constructors.contains(name), call.first == "(" else { return nil }
        var depth = 0
        let close = call.firstIndex { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth == 0
        }
        guard let close else { return nil }
        return (
            call[..<close].dropFirst(), ShaderText.trimmed(call[call.index(after: close)...])
        )
    }

    /// Parses the longest number at the beginning of a text, up to 64 characters.
    private static func leadingNumber(_ text: Substring) -> Float? {
        let line = text.prefix(while: { !$0.isNewline }).prefix(64)
        var rest = beforeList(line)
        while !rest.isEmpty {
            let trimmed = ShaderText.trimmed(rest)
            if let number = number(trimmed) {
                return isEnd(trimmed.endIndex, of: line) ? number : nil
            }
            rest = rest.dropLast()
        }
        return nil
    }

    /// Returns whether a number ends at an index: neither a digit nor an operator follows.
    private static func isEnd(_ place: Substring.Index, of line: Substring) -> Bool {
        let rest = line[place...]
        if let next = rest.first, next.isLetter || next.isNumber || next == "_" { return false }
        if rest.first == "." { return !(rest.dropFirst().first?.isNumber ?? false) }
        let next = ShaderText.trimmed(rest)
        return !next.hasPrefix("*") && (!next.hasPrefix("/") || next.hasPrefix("//"))
    }

    /// Returns the text before a sign that starts another number instead of being an operator. In
    /// `0.5 -1 … 1`, a range follows the value 0.5.
    private static func beforeList(_ text: Substring) -> Substring {
        var (last, isSpaced) = (" " as Character, false)
        for index in text.indices {
            let character = text[index]
            let next = text.index(after: index)
            if "+-".contains(character), isSpaced, last.isNumber || ".)f".contains(last),
                next < text.endIndex, !text[next].isWhitespace
            {
                return text[..<index]
            }
            isSpaced = character.isWhitespace
            if !isSpaced { last = character }
        }
        return text
    }

    /// Returns a text without the suffix `f` of GLSL numbers.
    private static func withoutSuffixes(_ text: Substring) -> String {
        var result: [UInt8] = []
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            let last = result.last ?? 0
            let isSuffix =
                [UInt8(ascii: "f"), UInt8(ascii: "F")].contains(byte)
                && (ShaderText.isDigit(last) || last == UInt8(ascii: "."))
                && (index + 1 == bytes.count || !ShaderText.isWord(bytes[index + 1]))
            if !isSuffix { result.append(byte) }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

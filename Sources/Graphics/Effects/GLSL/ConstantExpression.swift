// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Evaluates a constant GLSL expression whose only names are those of types and functions.
///
/// Integers wrap around, as in GLSL. A vector is represented by its largest component, because the
/// results are used as sizes.
struct ConstantExpression {
    enum Failure: Error {
        /// The expression contains a name that the text does not define.
        case elsewhere
        /// The text is not an expression, or it is too complex.
        case unreadable
    }

    private enum Number {
        case int(Int32)
        case uint(UInt32)
        case float(Double)

        var value: Double {
            switch self {
            case .int(let number): Double(number)
            case .uint(let number): Double(number)
            case .float(let number): number
            }
        }

        /// The bits of an integer.
        var bits: UInt32 {
            switch self {
            case .int(let number): UInt32(bitPattern: number)
            case .uint(let number): number
            case .float: 0
            }
        }

        init(_ isTrue: Bool) { self = .int(isTrue ? 1 : 0) }
        init(bits: UInt32, isUnsigned: Bool) {
            self = isUnsigned ? .uint(bits) : .int(Int32(bitPattern: bits))
        }
    }

    private let words: [String]
    private let lengths: [String: Double]
    private let longestList: Double
    private var index = 0
    private var depth = 0

    /// The maximum depth of brackets.
    private static let deepest = 64
    /// The operators, in order of increasing precedence.
    private static let operators: [Set<String>] = [
        ["||"], ["^^"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="],
        ["<<", ">>"], ["+", "-"], ["*", "/", "%"],
    ]
    /// Upper limits for values that are not known: the index of a pass, and OpenGL's
    /// implementation-defined constants.
    private static let passIndex = 64.0
    private static let implementationLimit = 16_384.0
    /// The longest side of a work group that every driver supports: OpenGL 4.3 core, table 23.60.
    private static let groupSide = 1024.0

    private init(_ words: [String], _ lengths: [String: Double], _ longestList: Double) {
        (self.words, self.lengths, self.longestList) = (words, lengths, longestList)
    }

    /// Evaluates an expression.
    ///
    /// - Parameters:
    ///   - lengths: The lengths of arrays by name.
    ///   - longestList: The assumed length of arrays and vectors whose length is not known.
    static func value(
        _ words: [String], lengths: [String: Double], longestList: Double
    ) throws(Failure) -> Double {
        var expression = ConstantExpression(words, lengths, longestList)
        let value = try expression.sequence().value
        guard expression.index == words.count, !value.isNaN else { throw .unreadable }
        return value
    }

    private var word: String { index < words.count ? words[index] : "" }

    private mutating func take(_ text: String) -> Bool {
        guard word == text else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ text: String) throws(Failure) {
        guard take(text) else { throw .unreadable }
    }

    // MARK: Operators

    /// Evaluates expressions separated by commas. The result is the value of the last expression.
    private mutating func sequence() throws(Failure) -> Number {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw .unreadable }
        var number = try choice()
        while take(",") { number = try choice() }
        return number
    }

    private mutating func choice() throws(Failure) -> Number {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw .unreadable }
        let condition = try binary(0)
        guard take("?") else { return condition }
        let first = try sequence()
        try expect(":")
        let second = try choice()
        return condition.value != 0 ? first : second
    }

    private mutating func binary(_ level: Int) throws(Failure) -> Number {
        guard level < Self.operators.count else { return try unary() }
        var left = try binary(level + 1)
        while Self.operators[level].contains(word) {
            let name = word
            index += 1
            left = try Self.result(left, name, try binary(level + 1))
        }
        return left
    }

    private static func result(
        _ left: Number, _ name: String, _ right: Number
    ) throws(Failure) -> Number {
        switch name {
        case "||": return Number(left.value != 0 || right.value != 0)
        case "^^": return Number((left.value != 0) != (right.value != 0))
        case "&&": return Number(left.value != 0 && right.value != 0)
        case "==": return Number(left.value == right.value)
        case "!=": return Number(left.value != right.value)
        case "<": return Number(left.value < right.value)
        case ">": return Number(left.value > right.value)
        case "<=": return Number(left.value <= right.value)
        case ">=": return Number(left.value >= right.value)
        default: break
        }
        if case .int(let a) = left, case .int(let b) = right {
            return .int(try integer(a, name, b))
        }
        switch (left, right) {
        case (.float, _), (_, .float):
            let (a, b) = (left.value, right.value)
            switch name {
            case "+": return .float(a + b)
            case "-": return .float(a - b)
            case "*": return .float(a * b)
            case "/" where b != 0: return .float(a / b)
            default: throw .unreadable
            }
        default:
            return .uint(try integer(left.bits, name, right.bits))
        }
    }

    private static func integer<Integer: FixedWidthInteger>(
        _ a: Integer, _ name: String, _ b: Integer
    ) throws(Failure) -> Integer {
        switch name {
        case "+": return a &+ b
        case "-": return a &- b
        case "*": return a &* b
        case "/" where b != 0: return a.dividedReportingOverflow(by: b).partialValue
        case "%" where b != 0: return a.remainderReportingOverflow(dividingBy: b).partialValue
        case "<<": return a &<< b
        case ">>": return a &>> b
        case "&": return a & b
        case "|": return a | b
        case "^": return a ^ b
        default: throw .unreadable
        }
    }

    private mutating func unary() throws(Failure) -> Number {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw .unreadable }
        if take("+") { return try unary() }
        if take("!") { return Number(try unary().value == 0) }
        if take("-") {
            switch try unary() {
            case .int(let number): return .int(0 &- number)
            case .uint(let number): return .uint(0 &- number)
            case .float(let number): return .float(-number)
            }
        }
        if take("~") {
            let number = try unary()
            if case .float = number { throw .unreadable }
            if case .uint(let bits) = number { return .uint(~bits) }
            return Number(bits: ~number.bits, isUnsigned: false)
        }
        return try postfix(try primary())
    }

    // MARK: Operands

    /// Parses the components and elements that follow a value, as in `size.x` and `sizes[0]`. The
    /// result is the value itself, or the length after `.length()`.
    private mutating func postfix(_ number: Number) throws(Failure) -> Number {
        while word == "." || word == "[" {
            if take("[") {
                _ = try sequence()
                try expect("]")
            } else {
                index += 1
                guard take("length") else {
                    index += 1
                    continue
                }
                try expect("(")
                try expect(")")
                return .int(Int32(longestList))
            }
        }
        return number
    }

    private mutating func primary() throws(Failure) -> Number {
        let text = word
        index += 1
        if text == "(" {
            let number = try sequence()
            try expect(")")
            return number
        }
        guard let first = text.utf8.first, ShaderText.isWord(first) || first == UInt8(ascii: ".")
        else { throw .unreadable }
        if ShaderText.isDigit(first) || first == UInt8(ascii: ".") {
            return try Self.literal(text)
        }
        if text == "true" || text == "false" { return Number(text == "true") }
        if word == ".", index + 1 < words.count, words[index + 1] == "length" {
            index += 2
            try expect("(")
            try expect(")")
            return .int(Int32(max(0, min(1e9, lengths[text] ?? longestList))))
        }
        if word == "(" || word == "[" { return try call(text) }
        if text == "PASSINDEX" { return .int(Int32(Self.passIndex)) }
        if text == "gl_WorkGroupSize" { return .int(Int32(Self.groupSide)) }
        if text.hasPrefix("gl_") { return .int(Int32(Self.implementationLimit)) }
        throw .elsewhere
    }

    private static func literal(_ text: String) throws(Failure) -> Number {
        let text = text.lowercased()
        let isHexadecimal = text.hasPrefix("0x")
        if !isHexadecimal, text.contains(where: { ".ef".contains($0) }) {
            guard let value = LoopFacts.literal(text) else { throw .unreadable }
            return .float(value)
        }
        let digits = text.hasSuffix("u") ? text.dropLast() : text[...]
        let value =
            isHexadecimal
            ? UInt32(digits.dropFirst(2), radix: 16)
            : UInt32(digits, radix: digits.count > 1 && digits.hasPrefix("0") ? 8 : 10)
        guard let value else { throw .unreadable }
        return Number(bits: value, isUnsigned: text.hasSuffix("u"))
    }

    private mutating func call(_ name: String) throws(Failure) -> Number {
        // In a constructor of an array, the size of the array follows the type.
        if take("[") {
            if word != "]" { _ = try sequence() }
            try expect("]")
        }
        try expect("(")
        var numbers: [Number] = []
        while word != ")" {
            numbers.append(try choice())
            if !take(",") { break }
        }
        try expect(")")
        guard let first = numbers.first else { throw .elsewhere }
        switch name {
        case "int":
            if case .uint(let bits) = first { return Number(bits: bits, isUnsigned: false) }
            guard case .float(let value) = first else { return first }
            guard abs(value) < 2e9 else { throw .unreadable }
            return .int(Int32(value))
        case "uint":
            guard case .float(let value) = first else { return .uint(first.bits) }
            guard value >= 0, value < 4e9 else { throw .unreadable }
            return .uint(UInt32(value))
        case "float": return .float(first.value)
        case "bool": return Number(first.value != 0)
        case "abs":
            if case .int(let number) = first { return .int(number < 0 ? 0 &- number : number) }
            return .float(abs(first.value))
        case "min" where numbers.count == 2:
            return numbers[1].value < first.value ? numbers[1] : first
        case "max" where numbers.count == 2:
            return numbers[1].value > first.value ? numbers[1] : first
        case "clamp" where numbers.count == 3:
            let raised = numbers[1].value > first.value ? numbers[1] : first
            return numbers[2].value < raised.value ? numbers[2] : raised
        case "pow" where numbers.count == 2: return .float(pow(first.value, numbers[1].value))
        case "mod" where numbers.count == 2 && numbers[1].value != 0:
            return .float(
                first.value - numbers[1].value * (first.value / numbers[1].value).rounded(.down))
        default: break
        }
        if let function = Self.functions[name], numbers.count == 1 {
            return .float(function(first.value))
        }
        if Self.isVector(name) || numbers.count > 1 && Self.types.contains(name) {
            return numbers.max { $0.value < $1.value } ?? first
        }
        // The name belongs to a built-in function that is not supported here, or is not defined in
        // the text.
        throw Self.others.contains(name) ? .unreadable : .elsewhere
    }

    private static let types: Set<String> = ["int", "uint", "float", "bool"]

    private static func isVector(_ name: String) -> Bool {
        ["vec", "ivec", "uvec", "bvec", "mat"].contains { kind in
            name.hasPrefix(kind)
                && name.dropFirst(kind.count).allSatisfy { "234x".contains($0) }
        }
    }

    private static let functions: [String: @Sendable (Double) -> Double] = [
        "floor": { $0.rounded(.down) }, "ceil": { $0.rounded(.up) },
        "trunc": { $0.rounded(.towardZero) }, "round": { $0.rounded() },
        "roundEven": { $0.rounded(.toNearestOrEven) }, "sqrt": { $0.squareRoot() },
        "inversesqrt": { 1 / $0.squareRoot() }, "exp": { exp($0) }, "exp2": { exp2($0) },
        "log": { log($0) }, "log2": { log2($0) }, "fract": { $0 - $0.rounded(.down) },
        "sign": { $0 > 0 ? 1 : $0 < 0 ? -1 : 0 }, "radians": { $0 * .pi / 180 },
        "degrees": { $0 * 180 / .pi }, "sin": { sin($0) }, "cos": { cos($0) },
        "tan": { tan($0) }, "asin": { asin($0) }, "acos": { acos($0) }, "atan": { atan($0) },
    ]
    private static let others: Set<String> = [
        "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "mix", "step", "smoothstep", "dot",
        "length", "distance", "cross", "normalize", "reflect", "refract", "faceforward",
        "floatBitsToInt", "floatBitsToUint", "intBitsToFloat", "uintBitsToFloat", "determinant",
        "transpose", "inverse", "outerProduct", "matrixCompMult",
    ]
}

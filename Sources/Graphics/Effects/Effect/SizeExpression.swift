// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The size of a pass as an expression such as `floor($WIDTH * $scale / 2)`.
///
/// Numbers, `+ - * / %`, parentheses, `floor ceil round abs sqrt sin cos tan log exp`, `min max pow
/// mod` with two arguments, `$WIDTH`, `$HEIGHT` and `$` with the name of an input.
///
/// - Corresponds to: ISF's `WIDTH` and `HEIGHT` of a pass.
public struct SizeExpression: Sendable {
    public let text: String
    private let root: Node

    indirect enum Node: Sendable {
        case number(Double)
        case variable(String)
        case negative(Node)
        case binary(Character, Node, Node)
        case call(String, [Node])
    }

    /// Why a text is no expression.
    public struct ParseError: Error, Hashable, CustomStringConvertible {
        public let text: String
        /// Characters before the place where reading failed.
        public let offset: Int
        public let description: String
    }

    init(text: String, root: Node) {
        self.text = text
        self.root = root
    }

    /// Bytes of an expression: each of its operations is a step deeper, and nobody writes more.
    private static let maximumLength = 4096

    static func checkLength(_ text: String) throws(ParseError) {
        guard text.utf8.count > maximumLength else { return }
        let beginning = String(text.prefix(64))
        throw ParseError(
            text: beginning, offset: 0,
            description: "the expression '\(beginning) …' has \(text.utf8.count) bytes; "
                + "\(maximumLength) are possible")
    }

    /// The names of the variables in it, without their `$`.
    var variables: Set<String> {
        var names: Set<String> = []
        func visit(_ node: Node) {
            switch node {
            case .number: break
            case .variable(let name): names.insert(name)
            case .negative(let operand): visit(operand)
            case .binary(_, let left, let right):
                visit(left)
                visit(right)
            case .call(_, let arguments): arguments.forEach(visit)
            }
        }
        visit(root)
        return names
    }

    /// - Parameter isKnown: whether there is a variable of a name, without its `$`.
    public init(_ text: String, isKnown: (String) -> Bool) throws(ParseError) {
        try Self.checkLength(text)
        self.text = text
        var parser = Parser(text: text, characters: Array(text))
        root = try parser.parse(isKnown: isKnown)
    }

    /// The value in pixels, at least 1.
    public func pixels(_ variable: (String) -> Double) -> Int {
        let value = evaluate(root, variable)
        return value.isNaN ? 1 : Int(min(max(value, 1), 65_536))
    }

    /// The value, whatever it is.
    public func value(_ variable: (String) -> Double) -> Double { evaluate(root, variable) }

    private func evaluate(_ node: Node, _ variable: (String) -> Double) -> Double {
        switch node {
        case .number(let number): return number
        case .variable(let name): return variable(name)
        case .negative(let operand): return -evaluate(operand, variable)
        case .binary(let symbol, let left, let right):
            let (left, right) = (evaluate(left, variable), evaluate(right, variable))
            switch symbol {
            case "+": return left + right
            case "-": return left - right
            case "*": return left * right
            case "/": return left / right
            case ">": return left > right ? 1 : 0
            case "<": return left < right ? 1 : 0
            case "=": return left == right ? 1 : 0
            default: return fmod(left, right)
            }
        case .call(let name, let arguments):
            let values = arguments.map { evaluate($0, variable) }
            return Self.unary[name]?(values[0]) ?? Self.binary[name]?(values[0], values[1]) ?? 0
        }
    }

    private static let unary: [String: @Sendable (Double) -> Double] = [
        "floor": { $0.rounded(.down) }, "ceil": { $0.rounded(.up) },
        "round": { $0.rounded() }, "abs": { abs($0) }, "sqrt": { $0.squareRoot() },
        "sin": { sin($0) }, "cos": { cos($0) }, "tan": { tan($0) }, "log": { log($0) },
        "exp": { exp($0) },
    ]
    private static let binary: [String: @Sendable (Double, Double) -> Double] = [
        "min": { min($0, $1) }, "max": { max($0, $1) }, "pow": { pow($0, $1) },
        "mod": { fmod($0, $1) },
    ]

    /// Recursive descent: a sum of products of signed numbers, variables, calls and parentheses.
    private struct Parser {
        /// Deeper nesting than this is hostile, not a size.
        private static let maximumDepth = 64

        let text: String
        let characters: [Character]
        var position = 0
        var depth = 0

        init(text: String, characters: [Character]) {
            self.text = text
            self.characters = characters
        }

        mutating func parse(isKnown: (String) -> Bool) throws(ParseError) -> Node {
            let node = try sum(isKnown)
            skipSpace()
            guard position == characters.count else {
                throw failure("'\(characters[position])' is not expected here")
            }
            return node
        }

        private mutating func sum(_ isKnown: (String) -> Bool) throws(ParseError) -> Node {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.maximumDepth else { throw failure("it is nested too deeply") }
            var node = try product(isKnown)
            while let symbol = take("+-") { node = .binary(symbol, node, try product(isKnown)) }
            return node
        }

        private mutating func product(_ isKnown: (String) -> Bool) throws(ParseError) -> Node {
            var node = try factor(isKnown)
            while let symbol = take("*/%") { node = .binary(symbol, node, try factor(isKnown)) }
            return node
        }

        private mutating func factor(_ isKnown: (String) -> Bool) throws(ParseError) -> Node {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.maximumDepth else { throw failure("it is nested too deeply") }
            if take("-") != nil { return .negative(try factor(isKnown)) }
            if take("+") != nil { return try factor(isKnown) }
            if take("(") != nil {
                let node = try sum(isKnown)
                try expect(")")
                return node
            }
            if take("$") != nil {
                let name = word()
                guard isKnown(name) else { throw failure("there is no '$\(name)'") }
                return .variable(name)
            }
            guard position < characters.count else { throw failure("it ends too early") }
            if characters[position].isLetter { return try call(isKnown) }
            let start = position
            guard let value = Double(number()) else {
                position = start
                throw failure("'\(characters[start])' is not expected here")
            }
            return .number(value)
        }

        private mutating func call(_ isKnown: (String) -> Bool) throws(ParseError) -> Node {
            let name = word()
            let isBinary = SizeExpression.binary[name] != nil
            guard isBinary || SizeExpression.unary[name] != nil else {
                throw failure("there is no function '\(name)'")
            }
            try expect("(")
            var arguments = [try sum(isKnown)]
            if isBinary {
                try expect(",")
                arguments.append(try sum(isKnown))
            }
            try expect(")")
            return .call(name, arguments)
        }

        private mutating func skipSpace() {
            while position < characters.count, characters[position].isWhitespace { position += 1 }
        }

        private mutating func take(_ symbols: String) -> Character? {
            skipSpace()
            guard position < characters.count, symbols.contains(characters[position]) else {
                return nil
            }
            position += 1
            return characters[position - 1]
        }

        private mutating func expect(_ symbol: String) throws(ParseError) {
            guard take(symbol) != nil else { throw failure("'\(symbol)' is missing") }
        }

        private mutating func word() -> String {
            let start = position
            while position < characters.count,
                characters[position].isLetter || characters[position].isNumber
                    || characters[position] == "_"
            {
                position += 1
            }
            return String(characters[start..<position])
        }

        private mutating func number() -> String {
            let start = position
            var end = position
            while end < characters.count, characters[end].isNumber || characters[end] == "." {
                end += 1
            }
            if end > start { position = end }
            return String(characters[start..<end])
        }

        private func failure(_ reason: String) -> ParseError {
            ParseError(
                text: text, offset: position,
                description: "the size expression '\(text)' cannot be read: \(reason)")
        }
    }
}

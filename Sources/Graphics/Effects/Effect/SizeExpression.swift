// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The size of a pass as an expression such as `floor($WIDTH * $scale / 2)`.
///
/// Numbers, `+ - * / % ^`, parentheses, comparisons (`< <= > >= == !=`, which give 1 or 0), `a ? b
/// : c` and `if(a, b, c)`, `floor ceil round trunc abs sqrt sin cos tan log log2 log10 exp`, `pow
/// mod`, `min max` of two or more, `$WIDTH`, `$HEIGHT` and `$` with the name of an input.
///
/// - Corresponds to: ISF's `WIDTH` and `HEIGHT` of a pass.
package struct SizeExpression: Sendable {
    package let text: String
    private let root: Node

    indirect enum Node: Sendable {
        case number(Double)
        case variable(String)
        case negative(Node)
        case binary(Character, Node, Node)
        case choice(Node, Node, Node)
        case call(String, [Node])
    }

    /// Why a text is no expression.
    package struct ParseError: Error, Hashable, CustomStringConvertible {
        package let text: String
        /// Characters before the place where reading failed.
        package let offset: Int
        package let description: String
    }

    init(text: String, root: Node) {
        self.text = text
        self.root = root
    }

    /// Bytes of an expression: each of its operations is a step deeper, and nobody writes more.
    private static let maximumLength = 4096

    static func checkLength(_ text: String) throws(ParseError) {
        guard text.utf8.count > maximumLength else { return }
        throw ParseError(
            text: String(text.prefix(64)), offset: 0,
            description: "the expression '\(shown(text))' has \(text.utf8.count) bytes; "
                + "\(maximumLength) are possible")
    }

    /// As much of an expression as a message shows.
    static func shown(_ text: String) -> String {
        text.count > 128 ? text.prefix(64) + " …" : text
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
            case .choice(let condition, let first, let second):
                visit(condition)
                visit(first)
                visit(second)
            case .call(_, let arguments): arguments.forEach(visit)
            }
        }
        visit(root)
        return names
    }

    /// - Parameter isKnown: whether there is a variable of a name, without its `$`.
    package init(_ text: String, isKnown: (String) -> Bool) throws(ParseError) {
        try Self.checkLength(text)
        self.text = text
        var parser = Parser(text: text, characters: Array(text))
        root = try parser.parse(isKnown: isKnown)
    }

    /// The value in pixels, at least 1.
    package func pixels(_ variable: (String) -> Double) -> Int {
        let value = evaluate(root, variable)
        return value.isNaN ? 1 : Int(min(max(value, 1), 65_536))
    }

    /// The value, whatever it is.
    package func value(_ variable: (String) -> Double) -> Double { evaluate(root, variable) }

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
            case "≤": return left <= right ? 1 : 0
            case "≥": return left >= right ? 1 : 0
            case "≠": return left != right ? 1 : 0
            case "^": return pow(left, right)
            default: return fmod(left, right)
            }
        case .choice(let condition, let first, let second):
            return evaluate(evaluate(condition, variable) != 0 ? first : second, variable)
        case .call(let name, let arguments):
            let values = arguments.map { evaluate($0, variable) }
            if let function = Self.unary[name] { return function(values[0]) }
            guard let function = Self.binary[name] else { return 0 }
            return values.dropFirst().reduce(values[0], function)
        }
    }

    static let unary: [String: @Sendable (Double) -> Double] = [
        "floor": { $0.rounded(.down) }, "ceil": { $0.rounded(.up) },
        "round": { $0.rounded() }, "abs": { abs($0) }, "sqrt": { $0.squareRoot() },
        "sin": { sin($0) }, "cos": { cos($0) }, "tan": { tan($0) }, "log": { log($0) },
        "exp": { exp($0) }, "log2": { log2($0) }, "log10": { log10($0) },
        "trunc": { $0.rounded(.towardZero) },
    ]
    /// Functions of two values, applied in turn to more.
    static let binary: [String: @Sendable (Double, Double) -> Double] = [
        "min": { min($0, $1) }, "max": { max($0, $1) }, "pow": { pow($0, $1) },
        "mod": { fmod($0, $1) },
    ]
}

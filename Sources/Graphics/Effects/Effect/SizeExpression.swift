// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The size of a pass as an expression such as `floor($WIDTH * $scale / 2)`.
///
/// Operands: numbers, `$WIDTH`, `$HEIGHT` and `$` with the name of an input. Operators: `+ - * / %
/// ^`, parentheses, comparisons (`< <= > >= == !=`, which yield 1 or 0), `a ? b : c` and `if(a, b,
/// c)`. Functions: `floor ceil round trunc abs sqrt sin cos tan log log2 log10 exp pow mod`, and
/// `min max` of two or more.
///
/// - Corresponds to: ISF's `WIDTH` and `HEIGHT` of a pass.
package struct SizeExpression: Sendable {
    package let text: String
    private let root: Node
    /// A Boolean value that indicates whether a number of pixels is rounded to the nearest one, as
    /// in mpv. Otherwise its fraction is dropped, as in ISF.
    var isRounded = false

    indirect enum Node: Sendable {
        case number(Double)
        case variable(String)
        case negative(Node)
        case binary(Character, Node, Node)
        case choice(Node, Node, Node)
        case call(String, [Node])
    }

    /// The reason why a text is not an expression.
    package struct ParseError: Error, Hashable, CustomStringConvertible {
        package let text: String
        /// The number of characters before the error.
        package let offset: Int
        package let description: String
    }

    init(text: String, root: Node) {
        self.text = text
        self.root = root
    }

    /// The maximum length of an expression in bytes. It also limits the depth of the tree.
    static let maximumLength = 4096

    static func checkLength(_ text: String) throws(ParseError) {
        guard text.utf8.count > maximumLength else { return }
        throw ParseError(
            text: String(text.prefix(64)), offset: 0,
            description: "the expression '\(shown(text))' has \(text.utf8.count) bytes; "
                + "the maximum is \(maximumLength)")
    }

    /// Returns an expression shortened for a message.
    static func shown(_ text: String) -> String {
        text.count > 128 ? text.prefix(64) + " …" : text
    }

    /// The names of the variables, without `$`.
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

    /// Parses an expression.
    ///
    /// - Parameter isKnown: Returns whether a variable exists; its name is without `$`.
    package init(_ text: String, isKnown: (String) -> Bool) throws(ParseError) {
        try Self.checkLength(text)
        self.text = text
        var parser = Parser(text: text, characters: Array(text))
        root = try parser.parse(isKnown: isKnown)
    }

    /// Evaluates the expression to a number of pixels, at least 1.
    package func pixels(_ variable: (String) -> Double) -> Int {
        let exact = evaluate(root, variable)
        let value = isRounded ? exact.rounded() : exact
        return value.isNaN ? 1 : Int(min(max(value, 1), 65_536))
    }

    /// Evaluates the expression.
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
    /// Functions of two arguments. With more arguments, they are applied from left to right.
    static let binary: [String: @Sendable (Double, Double) -> Double] = [
        "min": { min($0, $1) }, "max": { max($0, $1) }, "pow": { pow($0, $1) },
        "mod": { fmod($0, $1) },
    ]
}

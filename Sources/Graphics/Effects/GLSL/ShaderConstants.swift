// SPDX-License-Identifier: Apache-2.0

/// The possible values of the constant expressions of a shader. Macros and constants are
/// substituted in every way in which the text defines them.
struct ShaderConstants {
    /// The possible values of an expression.
    enum Values {
        /// All values that the expression may have.
        case known([Double])
        /// The expression depends on names that the text does not define.
        case elsewhere
        /// The expression is too long or too complex.
        case unreadable
    }

    private struct Definition: Hashable {
        let name: String
        /// The parameters in order, or nil for a macro without parameters.
        let parameters: [String]?
        let words: [String]
    }

    /// A call of a macro.
    private struct Call {
        let arguments: [[String]]
        /// The macro whose body contains the call.
        let macro: String?
    }

    private var macros: [String: [Definition]] = [:]
    private var constants: [String: [Definition]] = [:]
    private var calls: [String: [Call]] = [:]
    private var lengths: [String: Double] = [:]
    /// The definitions of macros and constants that were recorded.
    private var known: Set<Definition> = []
    /// The largest number of elements in an array whose size follows from its values, or in a
    /// vector.
    private var longestList = 4.0
    /// The number of words that may still be read. The budget is needed because hostile texts
    /// define names in terms of other names, many times over.
    private var budget = 1_000_000

    /// The maximum number of possible texts of an expression, and the maximum number of words in
    /// each.
    private static let mostWays = 1024
    private static let mostWords = 4096
    /// The maximum depth of substitution.
    private static let deepest = 64
    /// The maximum depth of calls of one macro within its own arguments.
    private static let deepestCalls = 8

    /// Records the definitions of a shader.
    ///
    /// - Parameter tokens: The tokens of the shader; nil to record nothing.
    init(_ tokens: ShaderTokens?) {
        guard let tokens else { return }
        let lines = tokens.directives.compactMap { ShaderMacro($0) }
        for macro in lines {
            let definition = Definition(
                name: macro.name,
                parameters: macro.takesArguments ? Self.parameters(of: macro) : nil,
                words: macro.tokens[macro.body].map(\.text))
            // Definitions that are equal are recorded once, even under different conditions.
            if known.insert(definition).inserted {
                macros[macro.name, default: []].append(definition)
            }
        }
        known = []
        let code = tokens.code
        for index in code.indices where code[index].text == "const" {
            noteConstants(at: index, in: code)
        }
        noteCalls(in: code, code.indices, macro: nil)
        for macro in lines { noteCalls(in: macro.tokens, macro.body, macro: macro.name) }
    }

    private static func parameters(of macro: ShaderMacro) -> [String] {
        guard let close = macro.tokens[3].partner else { return [] }
        return macro.tokens[4..<close].filter(\.isName).map(\.text)
    }

    /// Records constants such as `const int N = 10, M = 2 * N;`.
    private mutating func noteConstants(at start: Int, in code: [ShaderToken]) {
        let block = code[start].enclosing
        // A `const` parameter is not a constant.
        if let block, code[block].text == "(", code.text(block - 1) != "for" { return }
        let type = code[start...].prefix(4).first {
            ["int", "uint", "float"].contains($0.text)
        }
        var name: String?
        var value: [String] = []
        func note(_ name: String) {
            let definition = Definition(
                name: name, parameters: nil,
                words: (type.map { [$0.text] } ?? []) + ["("] + value + [")"])
            if known.insert(definition).inserted {
                constants[name, default: []].append(definition)
            }
        }
        for index in code.indices[start...].dropFirst() {
            let token = code[index]
            // A nested declaration is invalid, and hostile texts contain many.
            if token.text == "const" { return }
            let isOuter = token.enclosing == block
            if isOuter, [",", ";"].contains(token.text) || code[index].text == "}" {
                if let name { note(name) }
                name = nil
                value = []
                if token.text != "," { return }
            } else if isOuter, token.text == "=", name == nil {
                // The name of an array precedes its size.
                let bracket = code.text(index - 1) == "]" ? code[index - 1].partner : nil
                name = code[(bracket ?? index) - 1].text
            } else if name != nil {
                value.append(token.text)
                if value.count > Self.mostWords { return }
            }
        }
    }

    private mutating func noteCalls(
        in tokens: [ShaderToken], _ range: Range<Int>, macro: String?
    ) {
        for index in range where tokens[index].isName {
            let name = tokens[index].text
            guard macros[name] != nil, range.contains(index + 1),
                tokens[index + 1].text == "(", let close = tokens[index + 1].partner
            else { continue }
            var arguments: [[String]] = [[]]
            for token in tokens[index + 2..<close] {
                if token.text == ",", token.enclosing == index + 1 {
                    arguments.append([])
                } else {
                    arguments[arguments.count - 1].append(token.text)
                }
            }
            calls[name, default: []].append(Call(arguments: arguments, macro: macro))
        }
    }

    /// Records the length of an array, for expressions that use it.
    mutating func note(length: Double, of name: String) {
        lengths[name] = max(lengths[name] ?? 0, length)
    }

    /// Records the number of values that follow the empty brackets of an array.
    mutating func noteList(after close: Int, in tokens: [ShaderToken]) {
        let open = close + 1
        guard tokens.text(open) == "(", let end = tokens[open].partner else { return }
        let count = tokens[open..<end].count { $0.text == "," && $0.enclosing == open }
        longestList = max(longestList, Double(count + 1))
    }

    // MARK: Values

    /// Returns the possible values of an expression.
    ///
    /// - Parameter macro: The macro whose body contains the expression.
    mutating func values(of tokens: ArraySlice<ShaderToken>, in macro: String?) -> Values {
        let ways: [[String]]
        do throws(ConstantExpression.Failure) {
            ways = try expand(tokens.map(\.text), hidden: [], in: macro)
        } catch {
            return error == .elsewhere ? .elsewhere : .unreadable
        }
        var values: [Double] = []
        var isUnreadable = false
        for words in ways {
            do throws(ConstantExpression.Failure) {
                values.append(
                    try ConstantExpression.value(
                        words, lengths: lengths, longestList: longestList))
            } catch {
                isUnreadable = isUnreadable || error == .unreadable
            }
        }
        if isUnreadable { return .unreadable }
        return values.isEmpty ? .elsewhere : .known(values)
    }

    /// Substitutes names in a text and returns all possible results.
    private mutating func expand(
        _ words: [String], hidden: Set<String>, in macro: String?
    ) throws(ConstantExpression.Failure) -> [[String]] {
        guard hidden.count <= Self.deepest else { throw .unreadable }
        var results: [[String]] = [[]]
        var index = 0
        while index < words.count {
            budget -= 1
            guard budget > 0 else { throw .unreadable }
            let word = words[index]
            index += 1
            guard word != "#", word != "##" else { throw .unreadable }
            let options = options(word, in: words, &index, hidden, macro)
            guard !options.isEmpty else {
                for result in results.indices { results[result].append(word) }
                continue
            }
            var endings: [[String]] = []
            for option in options {
                let ways = try expand(
                    option.words, hidden: hidden.union([option.name]), in: option.macro)
                endings += option.isConstant ? worked(out: ways) : ways
                guard endings.count <= Self.mostWays else { throw .unreadable }
            }
            guard results.count * endings.count <= Self.mostWays else { throw .unreadable }
            results = results.flatMap { start in endings.map { start + $0 } }
            budget -= results.reduce(0) { $0 + $1.count }
            guard results.allSatisfy({ $0.count <= Self.mostWords }) else { throw .unreadable }
        }
        return results
    }

    /// Computes the possible integer values and returns each of them once. If a value is not an
    /// integer or cannot be computed, returns the texts unchanged.
    private func worked(out ways: [[String]]) -> [[String]] {
        var results: Set<[String]> = []
        for words in ways {
            guard words.first == "int",
                let value = try? ConstantExpression.value(
                    words, lengths: lengths, longestList: longestList)
            else { return ways }
            let number = Int64(value)
            results.insert(number < 0 ? ["(", "-", "\(-number)", ")"] : ["\(number)"])
        }
        return Array(results)
    }

    private struct Option {
        /// The name that is not substituted again within the text.
        let name: String
        let words: [String]
        let macro: String?
        var isConstant = false
    }

    /// Returns the texts that a word may stand for; empty if it stands for itself.
    ///
    /// - Parameter index: On entry, the index after the word; on return, the index after the
    ///   macro's arguments.
    private func options(
        _ word: String, in words: [String], _ index: inout Int, _ hidden: Set<String>,
        _ macro: String?
    ) -> [Option] {
        if let macro, !hidden.contains("(" + word) {
            for definition in macros[macro] ?? [] {
                guard let place = definition.parameters?.firstIndex(of: word) else { continue }
                return (calls[macro] ?? []).compactMap { call in
                    guard call.arguments.indices.contains(place) else { return nil }
                    return Option(
                        name: "(" + word, words: call.arguments[place], macro: call.macro)
                }
            }
        }
        var options: [Option] = []
        var end = index
        for definition in macros[word] ?? [] {
            guard let parameters = definition.parameters else {
                if hidden.contains(word) { continue }
                options.append(Option(name: word, words: definition.words, macro: nil))
                continue
            }
            let names = (0..<Self.deepestCalls).lazy.map { "\(word)(\($0)" }
            guard let (arguments, close) = Self.arguments(in: words, from: index),
                let name = names.first(where: { !hidden.contains($0) })
            else { continue }
            end = close
            let given = Dictionary(
                zip(parameters, arguments), uniquingKeysWith: { first, _ in first })
            options.append(
                Option(
                    name: name, words: definition.words.flatMap { given[$0] ?? [$0] }, macro: macro)
            )
        }
        // Within a macro with the name of a constant, the name stands for the constant.
        if !hidden.contains("=" + word) {
            options += (constants[word] ?? []).map {
                Option(name: "=" + word, words: $0.words, macro: nil, isConstant: true)
            }
        }
        index = end
        return options
    }

    /// Returns the arguments in parentheses and the index at which these end.
    private static func arguments(
        in words: [String], from start: Int
    ) -> (arguments: [[String]], end: Int)? {
        guard start < words.count, words[start] == "(" else { return nil }
        var arguments: [[String]] = [[]]
        var depth = 0
        for index in start..<words.count {
            let word = words[index]
            if word == ")" { depth -= 1 }
            if depth == 0, index > start { return (arguments, index + 1) }
            if depth == 1, word == "," {
                arguments.append([])
            } else if index > start {
                arguments[arguments.count - 1].append(word)
            }
            if word == "(" { depth += 1 }
        }
        return nil
    }
}

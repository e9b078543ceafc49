// SPDX-License-Identifier: Apache-2.0

/// The size of a shader with its macros expanded, and the depth of its expressions. Compilers parse
/// expressions recursively, and a stack overflow crashes the process.
struct ShaderExtent {
    /// The reason why a shader exceeds a limit.
    struct Excess {
        /// The offset at which the limit is exceeded, in bytes.
        let offset: Int
        let reason: String
    }

    /// The first excess, or nil if the shader is within the limits.
    private(set) var excess: Excess?

    /// The maximum number of consecutive operators and nested brackets. Mesa's compiler survives
    /// about 9000 with a stack of 8 MB; threads may have smaller stacks.
    static let deepest = 1024
    /// The maximum number of parts between commas. Mesa takes a second for this number, and a
    /// minute for four times as many.
    static let longestList = 4096
    /// The maximum number of declarations outside of functions. With more declarations, Mesa takes
    /// too long, as with longer lists.
    static let mostDeclarations = 4096
    /// The maximum number of tokens after macros are expanded. The longest text within the limits
    /// has half as many tokens before they are expanded.
    static let mostTokens = 1_048_576
    /// The maximum depth of nested macros, and the maximum number of cyclic ones.
    private static let deepestMacros = 256
    private static let mostCircles = 8
    private static let mostPassed = 256

    /// Upper limits for the expansion of a macro.
    private struct Measure {
        var size = 0.0
        /// The number of operators outside of brackets.
        var chain = 0.0
        /// The depth of the content of brackets.
        var depth = 0.0
        /// The number of times that the macro repeats its arguments.
        var copies = 1.0
    }

    /// An open bracket, or the text outside of all brackets.
    private struct Level {
        /// The number of operators since the last comma or semicolon.
        var chain = 0.0
        var depth = 0.0
        /// The largest sum of `chain` and `depth`.
        var deepest = 0.0
        var commas = 0
        /// The number of times that a macro repeats this content.
        var copies = 1.0

        mutating func end() {
            deepest = max(deepest, chain + depth)
            (chain, depth) = (0, 0)
        }
    }

    private var macros: [String: [ShaderMacro]] = [:]
    /// The macros that are named without being called. Other macros may call them by the name of a
    /// parameter.
    private var passed: Set<String> = []
    private var measures: [String: Measure] = [:]
    /// The macros that are being measured, and the macros among them that refer to themselves.
    private var current: Set<String> = []
    private var circles: Set<String> = []

    init(_ tokens: ShaderTokens) {
        for line in tokens.directives {
            if let macro = ShaderMacro(line) { macros[macro.name, default: []].append(macro) }
        }
        note(tokens.code, tokens.code.indices)
        for macro in macros.values.joined() { note(macro.tokens, macro.body) }
        for macro in macros.values.joined() where !passed.isEmpty { checkParentheses(of: macro) }
        _ = measure(tokens.code[...], macro: nil)
    }

    /// Records the macros that are passed as arguments, and refuses names that `##` composes.
    private mutating func note(_ tokens: [ShaderToken], _ range: Range<Int>) {
        for index in range {
            let token = tokens[index]
            if token.text == "##", tokens.isName(index - 1) || tokens.isName(index + 1) {
                exceed(token.offset, "names that '##' joins cannot be read")
            }
            guard tokens.text(index + 1) != "(",
                macros[token.text]?.contains(where: \.takesArguments) == true
            else { continue }
            passed.insert(token.text)
            if passed.count > Self.mostPassed {
                exceed(token.offset, "more than \(Self.mostPassed) macros are passed to others")
            }
        }
    }

    /// Refuses a macro that opens a parenthesis which is closed elsewhere, because the text would
    /// not show which macros it calls.
    private mutating func checkParentheses(of macro: ShaderMacro) {
        for token in macro.tokens[macro.body] where token.text == "(" && token.partner == nil {
            exceed(
                token.offset, "where macros are passed, macros have to close their parentheses")
        }
    }

    /// Returns the maximum number of times that a passed macro may repeat its arguments.
    private mutating func mostCopiesOfPassed(at offset: Int) -> Double {
        passed.reduce(1) { max($0, measure(ofMacro: $1, at: offset).copies) }
    }

    private mutating func exceed(_ offset: Int, _ reason: String) {
        if excess == nil { excess = Excess(offset: offset, reason: reason) }
    }

    private mutating func measure(ofMacro name: String, at offset: Int) -> Measure {
        if let measure = measures[name] { return measure }
        guard let definitions = macros[name] else { return Measure(size: 1) }
        guard current.insert(name).inserted else {
            circles.insert(name)
            if circles.count > Self.mostCircles {
                exceed(offset, "too many macros stand for each other")
            }
            return Measure(size: 1)
        }
        defer { current.remove(name) }
        guard current.count <= Self.deepestMacros else {
            exceed(offset, "macros stand for macros more than \(Self.deepestMacros) times over")
            return Measure(size: 1)
        }
        var result = Measure()
        for macro in definitions where excess == nil {
            let one = measure(macro.tokens[macro.body], macro: macro)
            result.size = max(result.size, one.size)
            result.chain = max(result.chain, one.chain)
            result.depth = max(result.depth, one.depth)
            result.copies = max(result.copies, one.copies)
        }
        measures[name] = result
        return result
    }

    /// Measures a range of tokens.
    ///
    /// - Parameter macro: The macro, if the range is the body of a macro; nil for the shader, to
    ///   which the limits apply.
    private mutating func measure(
        _ tokens: ArraySlice<ShaderToken>, macro: ShaderMacro?
    ) -> Measure {
        var result = Measure()
        var levels = [Level()]
        var declarations = 0
        // The number of times that the argument of each parameter is repeated.
        var given: [String: Double] = [:]
        // The number of times that the last word repeats the content of the following parentheses.
        var copies = 1.0
        // A Boolean value that indicates whether the last word may be the name of any passed macro.
        var isPassed = false
        var copiesOfPassed: Double?
        func close() {
            levels[levels.count - 1].end()
            guard levels.count > 1, let inner = levels.popLast() else { return }
            let last = levels.count - 1
            levels[last].depth = max(levels[last].depth, inner.deepest + 1)
        }
        for token in tokens where excess == nil {
            let last = levels.count - 1
            if token.isName {
                let measure = measure(ofMacro: token.text, at: token.offset)
                levels[last].chain += measure.chain
                levels[last].depth = max(levels[last].depth, measure.depth)
                result.size += levels[last].copies * measure.size
                copies = measure.copies
                if macro?.takesArguments == false { result.copies = max(result.copies, copies) }
                if macro?.parameters.contains(token.text) == true {
                    given[token.text, default: 0] += levels[last].copies
                }
                isPassed = macro?.parameters.contains(token.text) == true
            } else {
                result.size += levels[last].copies
                if token.text == "(", isPassed {
                    copiesOfPassed = copiesOfPassed ?? mostCopiesOfPassed(at: token.offset)
                    copies = copiesOfPassed ?? 1
                }
                isPassed = token.text == ")"
                switch token.text {
                case "(", "[", "{":
                    if token.text == "[" { levels[last].chain += 1 }
                    var level = Level()
                    level.copies = levels[last].copies * (token.text == "(" ? copies : 1)
                    levels.append(level)
                case ")", "]": close()
                case "}":
                    close()
                    levels[levels.count - 1].end()
                case ",", ";":
                    levels[last].end()
                    levels[last].commas = token.text == "," ? levels[last].commas + 1 : 0
                    if last == 0 { declarations += 1 }
                default: if token.isOperator { levels[last].chain += 1 }
                }
                copies = 1
            }
            if macro == nil {
                check(levels[levels.count - 1], levels.count, token)
                if declarations > Self.mostDeclarations {
                    exceed(
                        token.offset, "there are more than \(Self.mostDeclarations) declarations")
                }
                if result.size > Double(Self.mostTokens) {
                    exceed(
                        token.offset,
                        "with macros put in, it has more than \(Self.mostTokens) words and signs")
                }
            }
        }
        while levels.count > 1 { close() }
        levels[0].end()
        // The operators next to the macro call continue those at the ends of its body.
        result.chain = levels[0].deepest
        result.copies = max(result.copies, given.values.max() ?? 1)
        return result
    }

    private mutating func check(_ level: Level, _ brackets: Int, _ token: ShaderToken) {
        let depth = max(level.deepest, level.chain + level.depth)
        if depth > Double(Self.deepest) || brackets > Self.deepest {
            exceed(
                token.offset,
                "more than \(Self.deepest) operators or brackets are in one expression")
        }
        if level.commas >= Self.longestList {
            exceed(token.offset, "a list has more than \(Self.longestList) parts")
        }
    }
}

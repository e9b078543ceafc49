// SPDX-License-Identifier: Apache-2.0

/// How large a shader is with its macros put in, and how deep its expressions are: compilers follow
/// these by calling themselves, and one that runs out of stack takes the process with it.
struct ShaderExtent {
    /// What there is too much of.
    struct Excess {
        /// The byte where it becomes too much.
        let offset: Int
        let reason: String
    }

    /// The first of them; nil where all is within limits.
    private(set) var excess: Excess?

    /// Operators one after the other, and brackets within each other. Mesa's compiler survives some
    /// 9000 in 8 MB of stack; threads may have less.
    static let deepest = 1024
    /// Parts that commas separate: Mesa takes a second for so many, and a minute for four times as
    /// many.
    static let longestList = 4096
    /// What is declared outside of functions: the same.
    static let mostDeclarations = 4096
    /// Words and signs, with macros put in: a text as long as is allowed has half as many.
    static let mostTokens = 1_048_576
    /// Macros within macros, and those that stand for each other.
    private static let deepestMacros = 256
    private static let mostCircles = 8
    private static let mostPassed = 256

    /// What a macro stands for, as an upper limit.
    private struct Measure {
        var size = 0.0
        /// Operators outside of its brackets.
        var chain = 0.0
        /// Of what is in its brackets.
        var depth = 0.0
        /// How often it puts in what it is given.
        var copies = 1.0
    }

    /// An open bracket, or what is outside of all.
    private struct Level {
        /// Since the last comma or semicolon.
        var chain = 0.0
        var depth = 0.0
        /// The largest sum of both.
        var deepest = 0.0
        var commas = 0
        /// How often a macro puts in what is here.
        var copies = 1.0

        mutating func end() {
            deepest = max(deepest, chain + depth)
            (chain, depth) = (0, 0)
        }
    }

    private var macros: [String: [ShaderMacro]] = [:]
    /// Macros that others may call by the name of a parameter: they are named without being called.
    private var passed: Set<String> = []
    private var measures: [String: Measure] = [:]
    /// Macros that are being measured, and those of them that were come upon once more.
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

    /// Looks for what a measure has to know before: macros that are passed on, and names that are
    /// none yet.
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

    /// Refuses a macro that opens a parenthesis which is closed elsewhere: what is passed would be
    /// called with it, and that does not show.
    private mutating func checkParentheses(of macro: ShaderMacro) {
        for token in macro.tokens[macro.body] where token.text == "(" && token.partner == nil {
            exceed(
                token.offset, "where macros are passed, macros have to close their parentheses")
        }
    }

    /// How often one of the macros that are passed may put in what it is given.
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

    /// - Parameter macro: the one whose body it is; nil for the shader itself, whose limits these
    ///   are.
    private mutating func measure(
        _ tokens: ArraySlice<ShaderToken>, macro: ShaderMacro?
    ) -> Measure {
        var result = Measure()
        var levels = [Level()]
        var declarations = 0
        // How often what its parameters stand for is put in.
        var given: [String: Double] = [:]
        // How often the last word puts in what follows in parentheses.
        var copies = 1.0
        // Whether it may be the name of any macro that is passed.
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
        // What stands beside it goes on where it ends.
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

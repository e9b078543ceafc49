// SPDX-License-Identifier: Apache-2.0

/// The facts about a shader that determine the iterations of its loops: macros, constants, and the
/// places where variables may change.
struct LoopFacts {
    let macros: [ShaderMacro]
    let macroNames: Set<String>
    /// The macros that begin or end blocks.
    private(set) var loose: Set<String> = []
    /// The functions and macros that may change their arguments.
    private(set) var outputs: Set<String> = ["modf", "frexp"]
    /// The variables that macros change or alias.
    private(set) var changedByMacros: Set<String> = []
    /// The names of global variables.
    private(set) var globals: Set<String> = []
    /// A Boolean value that indicates whether the macros are too complex to be analysed.
    private(set) var isEntangled = false

    private struct Constant {
        let value: Double
        /// A Boolean value that indicates whether the constant is unsigned. Its negative is then a
        /// very large number.
        let isUnsigned: Bool
        /// The range in which the constant has this value.
        let scope: Range<Int>
    }
    private var constants: [String: Constant] = [:]

    private static let assignments: Set<String> = [
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", "##",
    ]
    /// The keywords that can stand directly before an expression. A name after one of them is not
    /// a declaration, and a parenthesis after one of them does not begin the arguments of a call.
    private static let statements: Set<String> = [
        "return", "case", "else", "do", "if", "for", "while", "switch",
    ]
    /// The maximum depth of nested macros.
    private static let maximumDepth = 8

    init(_ tokens: ShaderTokens) {
        macros = tokens.directives.compactMap { ShaderMacro($0) }
        macroNames = Set(macros.map(\.name))
        findOutputs(tokens.code)
        for macro in macros { findOutputs(macro.tokens) }
        followMacros()
        for macro in macros { findChanged(macro) }
        for token in tokens.code where token.enclosing == nil && token.isName {
            globals.insert(token.text)
        }
        findConstants(tokens)
    }

    /// Returns the value of a constant at an offset, or nil if there is no constant of that name at
    /// the offset.
    func value(of name: String, at offset: Int) -> Double? {
        guard let constant = constants[name], constant.scope.contains(offset) else { return nil }
        return constant.value
    }

    /// Returns whether the tokens around a variable may change it.
    ///
    /// - Parameter bounds: The range of tokens to look at.
    func isChange(_ index: Int, in tokens: [ShaderToken], _ bounds: Range<Int>) -> Bool {
        let (before, after) = surroundings(of: index, in: tokens, bounds)
        let text = { (place: Int) in bounds.contains(place) ? tokens[place].text : "" }
        let isName = { (place: Int) in bounds.contains(place) && tokens[place].isName }
        let (last, next) = (text(before), text(after))
        if Self.assignments.contains(next) || ["++", "--", "##"].contains(last) { return true }
        // Two adjacent names may be a macro that assigns to the variable.
        if isName(after) || macroNames.contains(last) { return true }
        guard ["(", ","].contains(last), [")", ","].contains(next),
            let open = last == "(" ? before : tokens[before].enclosing,
            tokens[open].text == "(", isName(open - 1)
        else { return false }
        let callee = text(open - 1)
        if outputs.contains(callee) || isEntangled { return true }
        guard let close = tokens[open].partner else { return true }
        // The call may be of a macro that expands to its argument.
        return Self.assignments.contains(text(close + 1)) || ["++", "--"].contains(text(open - 2))
    }

    /// Returns the indices of the tokens around a variable and around the parentheses that contain
    /// only it.
    private func surroundings(
        of index: Int, in tokens: [ShaderToken], _ bounds: Range<Int>
    ) -> (before: Int, after: Int) {
        var (before, after) = (index - 1, index + 1)
        while bounds.contains(before), bounds.contains(after), tokens[before].text == "(",
            tokens[after].text == ")"
        {
            let isCall =
                bounds.contains(before - 1) && tokens[before - 1].isName
                && !Self.statements.contains(tokens[before - 1].text)
            if isCall { break }
            before -= 1
            after += 1
        }
        return (before, after)
    }

    // MARK: Macros and functions

    private mutating func findOutputs(_ tokens: [ShaderToken]) {
        for token in tokens where token.text == "out" || token.text == "inout" {
            guard let open = token.enclosing else {
                // Outside of parentheses, `out` qualifies a variable of the shader. In a macro, it
                // may qualify a parameter of a function.
                if tokens.text(0) == "#" { isEntangled = true }
                continue
            }
            if tokens.isName(open - 1) { outputs.insert(tokens[open - 1].text) }
        }
    }

    private mutating func followMacros() {
        for macro in macros where macro.isLoose { loose.insert(macro.name) }
        for _ in 0..<Self.maximumDepth {
            let count = loose.count + outputs.count
            for macro in macros {
                if macro.tokens[macro.body].contains(where: { loose.contains($0.text) }) {
                    loose.insert(macro.name)
                }
                if isOutput(macro) { outputs.insert(macro.name) }
            }
            if loose.count + outputs.count == count { return }
        }
        isEntangled = true
    }

    /// Returns whether a macro may change its arguments or is an alias of a macro that may.
    private func isOutput(_ macro: ShaderMacro) -> Bool {
        macro.body.contains { index in
            let text = macro.tokens[index].text
            let isCalled = macro.body.contains(index + 1) && macro.tokens[index + 1].text == "("
            if macro.parameters.contains(text) {
                return isCalled || isChange(index, in: macro.tokens, macro.body)
            }
            return outputs.contains(text) && !isCalled
        }
    }

    private mutating func findChanged(_ macro: ShaderMacro) {
        for index in macro.body where macro.tokens[index].isName {
            let name = macro.tokens[index].text
            guard !macro.parameters.contains(name) else { continue }
            // At the ends of the body, the tokens around the macro call decide.
            let (before, after) = surroundings(of: index, in: macro.tokens, macro.body)
            if !macro.body.contains(before) || !macro.body.contains(after)
                || isChange(index, in: macro.tokens, macro.body)
            {
                changedByMacros.insert(name)
            }
        }
    }

    // MARK: Constants

    /// Finds constants such as `#define N 10` and `const int N = 10;`.
    private mutating func findConstants(_ tokens: ShaderTokens) {
        var counts: [String: Int] = [:]
        var doubtful: Set<String> = []
        for line in tokens.directives {
            if line.text(1) == "undef" { doubtful.insert(line.text(2)) }
            guard let macro = ShaderMacro(line) else { continue }
            let value = macro.takesArguments ? nil : number(macro.body, in: macro.tokens)
            // If a constant has two values, its value depends on code that is not analysed.
            guard let value, constants[macro.name].map({ $0.value == value }) ?? true else {
                doubtful.insert(macro.name)
                continue
            }
            if constants[macro.name] == nil {
                constants[macro.name] = Constant(
                    value: value, isUnsigned: Self.isUnsigned(macro.tokens[macro.body]),
                    scope: line[0].offset..<Int.max)
            }
        }
        let code = tokens.code
        for index in code.indices where code[index].text == "const" {
            note(constantsAt: index, in: code, &counts, &doubtful)
        }
        // The name may refer to a variable.
        for index in code.indices {
            let name = code[index].text
            guard constants[name] != nil else { continue }
            let isDeclared =
                code.isName(index - 1) && !Self.statements.contains(code[index - 1].text)
            if isDeclared || isChange(index, in: code, code.indices) {
                counts[name, default: 0] -= 1
            }
        }
        for (name, count) in counts where count < 0 { doubtful.insert(name) }
        for name in doubtful { constants[name] = nil }
    }

    private mutating func note(
        constantsAt start: Int, in code: [ShaderToken], _ counts: inout [String: Int],
        _ doubtful: inout Set<String>
    ) {
        guard let equals = code[start...].prefix(5).firstIndex(where: { $0.text == "=" }),
            equals > start + 1
        else { return }
        let block = code[start].enclosing
        let blockEnd = block.flatMap { code[$0].partner }
        let end = block == nil ? Int.max : blockEnd.map { code[$0].offset } ?? code[equals].offset
        var name = equals - 1
        while code.text(name + 1) == "=", code.isName(name) {
            let value = name + 2
            let rest = code[min(value, code.count)...]
            // A nested declaration is invalid, and hostile texts contain many.
            let stop = rest.firstIndex {
                [",", ";"].contains($0.text) && $0.enclosing == block || $0.text == "const"
            }
            guard let stop, code[stop].text != "const" else { return }
            let text = code[name].text
            let isWrapped =
                code[equals - 2].text == "uint" || Self.isUnsigned(code[value..<stop])
            if let number = number(value..<stop, in: code), number >= 0 || !isWrapped {
                counts[text, default: 0] += 1
                if constants[text] != nil { doubtful.insert(text) }
                constants[text] = Constant(
                    value: number, isUnsigned: isWrapped, scope: code[name].offset..<end)
            }
            guard code[stop].text == "," else { return }
            name = stop + 1
        }
    }

    /// Evaluates `10`, `-1.5`, `(4)` and `float(COUNT)`; returns nil for anything else.
    func number(_ range: Range<Int>, in tokens: [ShaderToken]) -> Double? {
        var range = range
        var sign = 1.0
        if let first = range.first, tokens[first].text == "-" {
            sign = -1
            range = first + 1..<range.upperBound
        }
        var isNarrowed = false
        while let first = range.first {
            let open = ["int", "uint", "float"].contains(tokens[first].text) ? first + 1 : first
            guard range.contains(open), tokens[open].text == "(",
                tokens[open].partner == range.upperBound - 1
            else { break }
            // A negative unsigned number would become a very large one.
            if tokens[first].text == "uint", sign < 0 { return nil }
            isNarrowed = isNarrowed || tokens[first].text == "int"
            range = open + 1..<range.upperBound - 1
        }
        guard range.count == 1, let index = range.first else { return nil }
        let text = tokens[index].text
        let constant = constants[text].flatMap {
            $0.scope.contains(tokens[index].offset) ? $0 : nil
        }
        let isUnsigned = constant?.isUnsigned ?? Self.isUnsigned(tokens[range])
        guard let value = constant?.value ?? Self.literal(text), sign > 0 || !isUnsigned
        else { return nil }
        // A number outside the range of `int` would become another number.
        if isNarrowed, abs(value) > Double(Int32.max) { return nil }
        return sign * value
    }

    /// Returns whether the tokens contain an unsigned number.
    private static func isUnsigned(_ tokens: ArraySlice<ShaderToken>) -> Bool {
        tokens.contains { token in
            !token.isName && (token.text.hasSuffix("u") || token.text.hasSuffix("U"))
        }
    }

    /// Returns the value of a numeric literal. Returns nil if the text is not a number, or if it
    /// stands for a negative number: 4294967295 is -1, but 4294967295u is not.
    static func literal(_ text: String) -> Double? {
        guard let first = text.utf8.first, ShaderText.isDigit(first) || text.hasPrefix(".") else {
            return nil
        }
        let text = text.lowercased()
        let isHexadecimal = text.hasPrefix("0x")
        if !isHexadecimal, text.contains(where: { ".ef".contains($0) }) {
            var digits = text.hasSuffix("f") ? text.dropLast() : text[...]
            if digits.hasSuffix(".") { digits = digits.dropLast() }
            return digits.hasPrefix(".") ? Double("0" + digits) : Double(digits)
        }
        let digits = text.hasSuffix("u") ? text.dropLast() : text[...]
        let value =
            isHexadecimal
            ? UInt32(digits.dropFirst(2), radix: 16)
            : UInt32(digits, radix: digits.count > 1 && digits.hasPrefix("0") ? 8 : 10)
        guard let value, text.hasSuffix("u") || value <= Int32.max else { return nil }
        return Double(value)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Evaluates the sizes of the arrays that a shader declares.
struct ArraySizes {
    /// An array that exceeds the limit.
    struct Excess {
        /// The offset of the array's opening bracket, in bytes.
        let offset: Int
        /// The number of elements, or nil if it cannot be evaluated.
        let count: Double?
    }

    /// The first array that exceeds the limit, or nil.
    private(set) var excess: Excess?

    private let most: Double
    private var constants: ShaderConstants

    /// The maximum number of tokens between the type and the last name in a list of variables. A
    /// longer list is treated as a declaration.
    private static let longestList = 2000

    /// Checks the arrays of a shader.
    ///
    /// - Parameters:
    ///   - tokens: All tokens of the shader, because definitions may be in another place.
    ///   - most: The maximum number of elements.
    init(_ tokens: ShaderTokens, most: Int) {
        self.most = Double(most)
        guard
            ([tokens.code] + tokens.directives).contains(where: {
                $0.contains { $0.text == "[" || $0.text == "]" }
            })
        else {
            constants = ShaderConstants(nil)
            return
        }
        constants = ShaderConstants(tokens)
        read(tokens.code, tokens.code.indices, macro: nil)
        for line in tokens.directives {
            guard let macro = ShaderMacro(line) else { continue }
            read(line, macro.body, macro: macro.name)
        }
    }

    /// Checks the arrays in a range of tokens.
    ///
    /// - Parameter macro: The name of the macro, if the range is the body of a macro.
    private mutating func read(_ tokens: [ShaderToken], _ range: Range<Int>, macro: String?) {
        for index in range where excess == nil {
            let token = tokens[index]
            if token.text == "]", token.partner == nil {
                excess = Excess(offset: token.offset, count: nil)
            }
            guard token.text == "[" else { continue }
            guard let close = token.partner else {
                excess = Excess(offset: token.offset, count: nil)
                return
            }
            guard Self.isDeclaration(index, close, in: tokens, range) else { continue }
            let name = tokens.isName(index - 1) ? tokens[index - 1].text : ""
            guard close > index + 1 else {
                constants.noteList(after: close, in: tokens)
                continue
            }
            switch constants.values(of: tokens[index + 1..<close], in: macro) {
            case .known(let values):
                let largest = values.max() ?? 0
                constants.note(length: largest, of: name)
                if largest > most { excess = Excess(offset: token.offset, count: largest) }
            case .elsewhere: break
            case .unreadable: excess = Excess(offset: token.offset, count: nil)
            }
        }
    }

    // MARK: Declarations

    /// Words that precede an expression.
    private static let statements: Set<String> = ["return", "case", "else", "do", "in", "out"]

    /// Returns whether a bracket contains the size of an array instead of an index.
    private static func isDeclaration(
        _ open: Int, _ close: Int, in tokens: [ShaderToken], _ range: Range<Int>
    ) -> Bool {
        // Handles `float[2]`, `S[2](…)` and `S[2] a`.
        var before = open - 1
        while range.contains(before), tokens[before].text == "]",
            let first = tokens[before].partner
        {
            before = first - 1
        }
        guard range.contains(before), tokens[before].isName else { return false }
        if ShaderWords.numbers.contains(tokens[before].text) { return true }
        if range.contains(close + 1), tokens[close + 1].isName || tokens[close + 1].text == "(" {
            return true
        }
        // Handles `float a[2]`, `struct S { … } a[2]` and `float b, a[2]`.
        guard range.contains(before - 1) else { return false }
        if tokens[before - 1].isName { return !statements.contains(tokens[before - 1].text) }
        if tokens[before - 1].text == "}" { return isStructure(before - 1, in: tokens) }
        guard tokens[before - 1].text == "," else { return false }
        return isList(before - 1, in: tokens, range)
    }

    /// Returns whether a comma separates declared variables.
    private static func isList(
        _ comma: Int, in tokens: [ShaderToken], _ range: Range<Int>
    ) -> Bool {
        let enclosing = tokens[comma].enclosing
        var start = comma
        while range.contains(start - 1), start - 1 != enclosing {
            let last = tokens[start - 1]
            if last.enclosing == enclosing {
                if last.text == ";" || last.text == "{" { break }
                if last.text == "}" {
                    if isStructure(start - 1, in: tokens) { return true }
                    // The braces may belong to an initializer list.
                    guard let open = last.partner, tokens.text(open - 1) == "=" else { break }
                }
            }
            start -= 1
            if comma - start > longestList { return true }
        }
        guard tokens.isName(start), !statements.contains(tokens[start].text) else { return false }
        return tokens.isName(start + 1)
            || ShaderWords.numbers.contains(tokens[start].text) && tokens.text(start + 1) == "["
    }

    /// Returns whether a brace ends the members of a structure or a block.
    private static func isStructure(_ close: Int, in tokens: [ShaderToken]) -> Bool {
        guard let open = tokens[close].partner else { return false }
        return tokens.text(open - 1) == "struct"
            || tokens.isName(open - 1) && tokens.isName(open - 2)
    }
}

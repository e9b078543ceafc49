// SPDX-License-Identifier: Apache-2.0

/// How large the arrays are that a shader declares: what the text says of their sizes is worked
/// out, as a compiler would.
struct ArraySizes {
    /// An array that is too large.
    struct Excess {
        /// The byte of its bracket.
        let offset: Int
        /// Its elements; nil where the text hides how many there are.
        let count: Double?
    }

    /// The first array that is too large; nil where none is.
    private(set) var excess: Excess?

    private let most: Double
    private var constants: ShaderConstants

    /// Tokens that a list of variables is looked through for the type at its beginning. Longer ones
    /// count as declarations.
    private static let longestList = 2000

    /// - Parameters:
    ///   - tokens: all of a shader's, for what is said in one place counts in others.
    ///   - most: elements that an array may have.
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

    /// - Parameter macro: the one whose body it is.
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

    /// Words that an expression follows.
    private static let statements: Set<String> = ["return", "case", "else", "do", "in", "out"]

    /// Whether a bracket holds the size of an array, rather than an index.
    private static func isDeclaration(
        _ open: Int, _ close: Int, in tokens: [ShaderToken], _ range: Range<Int>
    ) -> Bool {
        // `float[2]`, `S[2](…)` and `S[2] a`.
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
        // `float a[2]`, `struct S { … } a[2]` and `float b, a[2]`.
        guard range.contains(before - 1) else { return false }
        if tokens[before - 1].isName { return !statements.contains(tokens[before - 1].text) }
        if tokens[before - 1].text == "}" { return isStructure(before - 1, in: tokens) }
        guard tokens[before - 1].text == "," else { return false }
        return isList(before - 1, in: tokens, range)
    }

    /// Whether a comma separates variables that are declared.
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
                    // Lists of values have braces too.
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

    /// Whether a brace ends a structure's, or a block's, members.
    private static func isStructure(_ close: Int, in tokens: [ShaderToken]) -> Bool {
        guard let open = tokens[close].partner else { return false }
        return tokens.text(open - 1) == "struct"
            || tokens.isName(open - 1) && tokens.isName(open - 2)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A macro that is defined by `#define`.
struct ShaderMacro {
    let name: String
    /// The names of the parameters; empty if the macro has no parentheses.
    let parameters: Set<String>
    /// The tokens of the whole line.
    let tokens: [ShaderToken]
    /// The range of the tokens that the macro expands to.
    let body: Range<Int>
    let takesArguments: Bool

    /// Creates a macro from the tokens of a line; nil if the line is a different directive.
    init?(_ line: [ShaderToken]) {
        guard line.text(1) == "define", line.isName(2) else { return nil }
        name = line[2].text
        tokens = line
        guard line.text(3) == "(", line[3].isAdjacent, let close = line[3].partner else {
            parameters = []
            body = 3..<line.count
            takesArguments = false
            return
        }
        parameters = Set(line[4..<close].lazy.filter(\.isName).map(\.text))
        body = close + 1..<line.count
        takesArguments = true
    }

    /// A Boolean value that indicates whether the macro begins or ends a block or contains `if` or
    /// `else`. The statements of a shader with such a macro cannot be recognised from its text.
    var isLoose: Bool {
        let words = tokens[body].filter { $0.text == "else" || $0.text == "if" }
        let elseCount = words.count { $0.text == "else" }
        return tokens[body].contains { $0.isBracket && $0.partner == nil }
            || elseCount > words.count - elseCount || words.first?.text == "else"
    }
}

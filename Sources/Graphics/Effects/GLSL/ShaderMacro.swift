// SPDX-License-Identifier: Apache-2.0

/// A `#define`.
struct ShaderMacro {
    let name: String
    /// Empty too for one that takes none.
    let parameters: Set<String>
    /// The whole line.
    let tokens: [ShaderToken]
    /// What it stands for.
    let body: Range<Int>
    let takesArguments: Bool

    /// Nil for other lines of the preprocessor.
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

    /// Whether a block, or `if` and `else`, begin or end in it: statements are not told by their
    /// text then.
    var isLoose: Bool {
        let words = tokens[body].filter { $0.text == "else" || $0.text == "if" }
        let elseCount = words.count { $0.text == "else" }
        return tokens[body].contains { $0.isBracket && $0.partner == nil }
            || elseCount > words.count - elseCount || words.first?.text == "else"
    }
}

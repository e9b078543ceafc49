// SPDX-License-Identifier: Apache-2.0

/// A word, a number, an operator or a bracket of a shader's text.
struct ShaderToken {
    let text: String
    /// Of its first byte.
    let offset: Int
    /// Whether nothing is between it and the one before.
    let isAdjacent: Bool
    /// Which branch of `#if` it stands in; 0 outside of all.
    let branch: Int
    /// The innermost open bracket around it.
    var enclosing: Int?
    /// Of a bracket, the other one.
    var partner: Int?

    var isName: Bool {
        guard let first = text.utf8.first else { return false }
        return ShaderText.isWord(first) && !ShaderText.isDigit(first)
    }

    /// Whether it is neither a word, nor a number, nor what encloses or separates these.
    var isOperator: Bool {
        guard let first = text.utf8.first, !ShaderText.isWord(first) else { return false }
        return !isBracket && text != "," && text != ";" && (first != 0x2E || text == ".")
    }

    var isBracket: Bool { ["(", ")", "[", "]", "{", "}"].contains(text) }
}

extension [ShaderToken] {
    /// Appends a token to those of a text, and finds the bracket that it closes.
    ///
    /// - Parameter open: the innermost bracket that is open.
    mutating func append(_ token: ShaderToken, in open: inout Int?) {
        var token = token
        token.enclosing = open
        switch token.text {
        case "(", "[", "{": open = count
        case ")", "]", "}":
            if let start = open, ["()", "[]", "{}"].contains(self[start].text + token.text) {
                open = self[start].enclosing
                token.enclosing = open
                token.partner = start
                self[start].partner = count
            }
        default: break
        }
        append(token)
    }

    /// Empty beyond the ends.
    func text(_ index: Int) -> String { indices.contains(index) ? self[index].text : "" }

    func isName(_ index: Int) -> Bool { indices.contains(index) && self[index].isName }
}

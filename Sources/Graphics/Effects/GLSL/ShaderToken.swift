// SPDX-License-Identifier: Apache-2.0

/// A token of a shader's text: a word, a number, an operator or a bracket.
struct ShaderToken {
    let text: String
    /// The offset of the token's first byte.
    let offset: Int
    /// A Boolean value that indicates whether the token follows the previous one without a space.
    let isAdjacent: Bool
    /// The number of the `#if` branch that contains the token; 0 if it is in none.
    let branch: Int
    /// The index of the innermost open bracket around the token.
    var enclosing: Int?
    /// The index of the matching bracket, if the token is a bracket.
    var partner: Int?

    var isName: Bool {
        guard let first = text.utf8.first else { return false }
        return ShaderText.isWord(first) && !ShaderText.isDigit(first)
    }

    /// A Boolean value that indicates whether the token is an operator: neither a word nor a number
    /// nor a bracket or separator.
    var isOperator: Bool {
        guard let first = text.utf8.first, !ShaderText.isWord(first) else { return false }
        return !isBracket && text != "," && text != ";" && (first != 0x2E || text == ".")
    }

    var isBracket: Bool { ["(", ")", "[", "]", "{", "}"].contains(text) }
}

extension [ShaderToken] {
    /// Appends a token. If the token is a closing bracket, finds the matching opening bracket.
    ///
    /// - Parameter open: The index of the innermost open bracket.
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

    /// Returns the text of a token, or an empty string if the index is out of range.
    func text(_ index: Int) -> String { indices.contains(index) ? self[index].text : "" }

    func isName(_ index: Int) -> Bool { indices.contains(index) && self[index].isName }
}

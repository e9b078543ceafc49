// SPDX-License-Identifier: Apache-2.0

extension SizeExpression {
    /// Parses reverse Polish notation, as in mpv's shaders: `MAIN.w 2 *`, `OUTPUT.w MAIN.w / 1.2
    /// >`.
    ///
    /// The notation has numbers, variables, the binary operators `+ - * / % > < = >= <= == !=` and
    /// the unary operator `!`. Comparisons yield 1 or 0.
    ///
    /// - Corresponds to: `WIDTH`, `HEIGHT` and `WHEN` of mpv's user shaders.
    package init(
        reversePolish text: String, isKnown: (String) -> Bool
    ) throws(ParseError) {
        try Self.checkLength(text)
        var stack: [Node] = []
        var offset = 0
        func failure(_ reason: String) -> ParseError {
            ParseError(
                text: text, offset: offset,
                description: "the expression '\(Self.shown(text))' cannot be read: \(reason)")
        }
        for word in text.split(whereSeparator: \.isWhitespace) {
            offset = text.distance(from: text.startIndex, to: word.startIndex)
            if let symbol = Self.binarySymbols[String(word)] {
                guard let right = stack.popLast(), let left = stack.popLast() else {
                    throw failure("'\(word)' needs two operands before it")
                }
                stack.append(.binary(symbol, left, right))
            } else if word == "!" {
                guard let operand = stack.popLast() else {
                    throw failure("'!' needs an operand before it")
                }
                stack.append(.binary("=", operand, .number(0)))
            } else if let number = Double(word) {
                stack.append(.number(number))
            } else {
                // libplacebo also accepts the long names `.width` and `.height`.
                var name = String(word)
                for (long, short) in [(".width", ".w"), (".height", ".h")]
                where name.hasSuffix(long) {
                    name = name.dropLast(long.count) + short
                }
                guard isKnown(name) else { throw failure("unknown name '\(word)'") }
                stack.append(.variable(name))
            }
        }
        guard let result = stack.popLast(), stack.isEmpty else {
            throw failure("it results in \(stack.count + 1) values instead of one")
        }
        self.init(text: text, root: result)
        isRounded = true
    }

    private static let binarySymbols: [String: Character] = [
        "+": "+", "-": "-", "*": "*", "/": "/", "%": "%", ">": ">", "<": "<", "=": "=", "==": "=",
        ">=": "≥", "<=": "≤", "!=": "≠",
    ]
}

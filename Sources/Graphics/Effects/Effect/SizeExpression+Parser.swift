// SPDX-License-Identifier: Apache-2.0

extension SizeExpression {
    /// A recursive descent parser. The order of precedence, from the lowest, is: conditional,
    /// comparison, sum, product, power, sign. Variables, calls and parentheses have the highest
    /// precedence.
    struct Parser {
        /// The maximum depth of nesting.
        private static let maximumDepth = 64

        let text: String
        let characters: [Character]
        var position = 0
        var depth = 0

        init(text: String, characters: [Character]) {
            self.text = text
            self.characters = characters
        }

        mutating func parse(isKnown: (String) -> Bool) throws(ParseError) -> Node {
            let node = try choice(isKnown)
            skipSpace()
            guard position == characters.count else {
                throw failure("unexpected '\(characters[position])'")
            }
            return node
        }

        private mutating func choice(_ isKnown: (String) -> Bool) throws(ParseError) -> Node {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.maximumDepth else { throw failure("nested too deeply") }
            let condition = try comparison(isKnown)
            guard take("?") != nil else { return condition }
            let first = try choice(isKnown)
            try expect(":")
            return .choice(condition, first, try choice(isKnown))
        }

        private mutating func comparison(_ isKnown: (String) -> Bool) throws(ParseError) -> Node {
            var node = try sum(isKnown)
            while let symbol = take("<>=!") {
                // An operator may have a second character, `=`.
                let isTwo = position < characters.count && characters[position] == "="
                if isTwo { position += 1 }
                let sign: Character
                switch (symbol, isTwo) {
                case ("<", true): sign = "≤"
                case (">", true): sign = "≥"
                case ("!", true): sign = "≠"
                case ("!", false): throw failure("expected '!=', found '!'")
                default: sign = symbol
                }
                node = .binary(sign, node, try sum(isKnown))
            }
            return node
        }

        private mutating func sum(_ isKnown: (String) -> Bool) throws(ParseError) -> Node {
            var node = try product(isKnown)
            while let symbol = take("+-") { node = .binary(symbol, node, try product(isKnown)) }
            return node
        }

        private mutating func product(_ isKnown: (String) -> Bool) throws(ParseError) -> Node {
            var node = try power(isKnown)
            while let symbol = take("*/%") { node = .binary(symbol, node, try power(isKnown)) }
            return node
        }

        private mutating func power(_ isKnown: (String) -> Bool) throws(ParseError) -> Node {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.maximumDepth else { throw failure("nested too deeply") }
            let base = try factor(isKnown)
            return take("^") == nil ? base : .binary("^", base, try power(isKnown))
        }

        private mutating func factor(_ isKnown: (String) -> Bool) throws(ParseError) -> Node {
            if take("-") != nil { return .negative(try power(isKnown)) }
            if take("+") != nil { return try power(isKnown) }
            if take("(") != nil {
                let node = try choice(isKnown)
                try expect(")")
                return node
            }
            if take("$") != nil {
                let name = word()
                guard isKnown(name) else { throw failure("unknown variable '$\(name)'") }
                return .variable(name)
            }
            guard position < characters.count else { throw failure("unexpected end") }
            if characters[position].isLetter { return try call(isKnown) }
            let start = position
            guard let value = Double(number()) else {
                position = start
                throw failure("unexpected '\(characters[start])'")
            }
            return .number(value)
        }

        private mutating func call(_ isKnown: (String) -> Bool) throws(ParseError) -> Node {
            let name = word()
            let isBinary = SizeExpression.binary[name] != nil
            guard name == "if" || isBinary || SizeExpression.unary[name] != nil else {
                throw failure("unknown function '\(name)'")
            }
            try expect("(")
            var arguments = [try choice(isKnown)]
            let least = name == "if" ? 3 : isBinary ? 2 : 1
            while arguments.count < least {
                try expect(",")
                arguments.append(try choice(isKnown))
            }
            while ["min", "max"].contains(name), take(",") != nil {
                arguments.append(try choice(isKnown))
            }
            try expect(")")
            return name == "if"
                ? .choice(arguments[0], arguments[1], arguments[2]) : .call(name, arguments)
        }

        private mutating func skipSpace() {
            while position < characters.count, characters[position].isWhitespace { position += 1 }
        }

        private mutating func take(_ symbols: String) -> Character? {
            skipSpace()
            guard position < characters.count, symbols.contains(characters[position]) else {
                return nil
            }
            position += 1
            return characters[position - 1]
        }

        private mutating func expect(_ symbol: String) throws(ParseError) {
            guard take(symbol) != nil else { throw failure("'\(symbol)' is missing") }
        }

        private mutating func word() -> String {
            let start = position
            while position < characters.count,
                characters[position].isLetter || characters[position].isNumber
                    || characters[position] == "_"
            {
                position += 1
            }
            return String(characters[start..<position])
        }

        private mutating func number() -> String {
            let start = position
            var end = position
            while end < characters.count, characters[end].isNumber || characters[end] == "." {
                end += 1
            }
            if end > start, let exponent = exponentEnd(from: end) { end = exponent }
            if end > start { position = end }
            return String(characters[start..<end])
        }

        /// Returns the end of an exponent such as the `e-3` in `1e-3`, or nil if the number has no
        /// exponent.
        private func exponentEnd(from start: Int) -> Int? {
            guard start < characters.count, "eE".contains(characters[start]) else { return nil }
            let isSigned = start + 1 < characters.count && "+-".contains(characters[start + 1])
            let digits = start + (isSigned ? 2 : 1)
            var end = digits
            while end < characters.count, characters[end].isNumber { end += 1 }
            return end > digits ? end : nil
        }

        private func failure(_ reason: String) -> ParseError {
            ParseError(
                text: text, offset: position,
                description:
                    "the size expression '\(SizeExpression.shown(text))' cannot be read: \(reason)")
        }
    }
}

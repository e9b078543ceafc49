// SPDX-License-Identifier: Apache-2.0

/// A loop header such as `for (int i = 0; i < 10; i++)`: a variable, its limits and its step.
struct LoopHeader {
    let name: String
    /// The type of the variable, or nil if it is declared elsewhere.
    private let type: String?
    private let first: Double
    private let last: Double
    private let step: Double
    private let comparison: String
    /// A Boolean value that indicates whether the variable is a float, by its type or by the
    /// numbers with which it is compared.
    private let isFloat: Bool

    /// The number up to which a float can represent every integer.
    private static let maximumWhole = 16_777_216.0

    /// Parses a loop header. Returns nil if the header does not consist of a variable, its limits
    /// and its step.
    init?(keyword: Int, in tokens: [ShaderToken], _ facts: LoopFacts) {
        let open = keyword + 1
        guard tokens.text(keyword) == "for", tokens.text(open) == "(",
            let close = tokens[open].partner
        else { return nil }
        let semicolons = (open..<close).filter {
            tokens[$0].text == ";" && tokens[$0].enclosing == open
        }
        guard semicolons.count == 2 else { return nil }
        let (start, condition) = (open + 1..<semicolons[0], semicolons[0] + 1..<semicolons[1])
        // Macros are known only if they stand for numbers.
        for token in tokens[open..<close]
        where facts.macroNames.contains(token.text)
            && facts.value(of: token.text, at: token.offset) == nil
        {
            return nil
        }
        guard let equals = start.first(where: { tokens[$0].text == "=" }), equals > open + 1,
            tokens[equals - 1].isName,
            let first = facts.number(equals + 1..<start.upperBound, in: tokens)
        else { return nil }
        name = tokens[equals - 1].text
        type = equals - 2 > open ? tokens[equals - 2].text : nil
        guard facts.value(of: name, at: tokens[equals].offset) == nil,
            type != nil || !facts.globals.contains(name),
            condition.count > 2, tokens[condition.lowerBound].text == name,
            let last = facts.number(condition.dropFirst(2), in: tokens),
            let step = Self.step(semicolons[1] + 1..<close, of: name, in: tokens, facts)
        else { return nil }
        (self.first, self.last, self.step) = (first, last, step)
        comparison = tokens[condition.lowerBound + 1].text
        isFloat =
            type == "float" || type == nil && Self.hasFractions(tokens[open..<close])
    }

    /// Returns whether the tokens contain a fraction or an exponent and no conversion to an
    /// integer.
    private static func hasFractions(_ tokens: ArraySlice<ShaderToken>) -> Bool {
        guard !tokens.contains(where: { $0.text == "int" || $0.text == "uint" }) else {
            return false
        }
        return tokens.contains { token in
            !token.isName && !token.text.lowercased().hasPrefix("0x")
                && [".", "e", "E"].contains { token.text.contains($0) }
        }
    }

    private static func step(
        _ range: Range<Int>, of name: String, in tokens: [ShaderToken], _ facts: LoopFacts
    ) -> Double? {
        let texts = tokens[range].prefix(3).map(\.text)
        guard texts.count > 1 else { return nil }
        if range.count == 2 {
            switch (texts[0], texts[1]) {
            case (name, "++"), ("++", name): return 1
            case (name, "--"), ("--", name): return -1
            default: return nil
            }
        }
        guard texts[0] == name, texts[1] == "+=" || texts[1] == "-=" else { return nil }
        let number = facts.number(range.dropFirst(2), in: tokens)
        return texts[1] == "+=" ? number : number.map { -$0 }
    }

    /// The number of iterations, or nil if the loop may not end.
    var turns: Double? {
        guard step != 0, isPrecise else { return nil }
        let turns = (last - first) / step
        // A variable that steps away from its limit, or past it, may never end the loop.
        let arrives =
            switch comparison {
            case "<", "<=": step > 0
            case ">", ">=": step < 0
            case "!=": isWhole && turns >= 0 && turns == turns.rounded()
            default: false
            }
        guard arrives, turns.isFinite else { return nil }
        // A sum of fractions may be slightly below its limit.
        guard isWhole else { return max(0, turns) + 1 }
        let includesLimit = comparison.hasSuffix("=") && comparison != "!="
        return max(1, includesLimit ? turns.rounded(.down) + 1 : turns.rounded(.up))
    }

    private var isWhole: Bool {
        [first, last, step].allSatisfy {
            $0 == $0.rounded() && (type == "int" || type == "uint" || abs($0) < Self.maximumWhole)
        }
    }

    /// A Boolean value that indicates whether each step changes the variable as in exact
    /// arithmetic. Large floats have a coarse resolution, and integers wrap around.
    private var isPrecise: Bool {
        let isInteger = type == "int" || type == "uint"
        if !isInteger {
            let largest = Float(max(abs(first), abs(last)))
            guard abs(step) >= Double(largest.ulp) else { return false }
        }
        // Unsigned integers wrap around below 0. A variable that is declared elsewhere may be
        // unsigned.
        if step < 0 || first < 0 || last < 0 {
            guard type == "int" || isFloat else { return false }
        }
        if isFloat { return true }
        let range =
            type == "uint"
            ? 0...Double(UInt32.max) : Double(Int32.min)...Double(Int32.max)
        return [first, last, last + step].allSatisfy { range.contains($0) }
    }
}

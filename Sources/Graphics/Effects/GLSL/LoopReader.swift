// SPDX-License-Identifier: Apache-2.0

/// Finds the loops of a shader and counts those whose number of iterations is evident from the
/// text.
struct LoopReader {
    /// The loops, sorted by offset.
    private(set) var loops: [ShaderLoop] = []
    /// The first place at which the loops cannot be analysed.
    private(set) var unreadable: LoopGuard.Refusal?

    private let code: [ShaderToken]
    private let facts: LoopFacts
    /// The index at which each loop ends, by the index of its keyword.
    private var ends: [Int: Int] = [:]
    /// The indices at which loop variables change, by their names.
    private var changes: [String: [Int]] = [:]
    /// For each token, the number of macros before it that begin or end a block. The array is empty
    /// if no macro begins or ends a block.
    private var looseCounts: [Int] = []

    init(_ tokens: ShaderTokens, _ facts: LoopFacts) {
        code = tokens.code
        self.facts = facts
        let keywords = code.indices.filter { Self.isLoop(code[$0].text) }
        // Loops are read from the last to the first, because a loop may end with another one.
        for keyword in keywords.reversed() { read(keyword) }
        count()
        for macro in facts.macros { read(macro) }
        for token in code + tokens.directives.flatMap({ $0.dropFirst() }) { check(token) }
        loops.sort { $0.offset < $1.offset }
    }

    private static func isLoop(_ word: String) -> Bool { word == "for" || word == "while" }

    // MARK: Finding

    private mutating func read(_ keyword: Int) {
        guard var loop = loop(at: keyword, in: code, declares: true),
            let close = code[keyword + 1].partner
        else {
            refuse(code[keyword], Self.hiddenCondition)
            return
        }
        let end = statementEnd(close + 1)
        ends[keyword] = end
        loop.body = close + 1..<max(close + 1, end)
        loops.append(loop)
    }

    /// Reads the loops in a macro. A macro may contain the header of a loop whose body is
    /// elsewhere.
    private mutating func read(_ macro: ShaderMacro) {
        for index in macro.body where Self.isLoop(macro.tokens[index].text) {
            if let loop = loop(at: index, in: macro.tokens) {
                loops.append(loop)
            } else {
                refuse(macro.tokens[index], Self.hiddenCondition)
            }
        }
        for index in macro.body {
            let token = macro.tokens[index]
            // With an unbalanced parenthesis in a condition, the added condition would not be part
            // of it.
            if token.text == "(" || token.text == ")", token.partner == nil {
                refuse(
                    token, "a macro in a shader with loops must close the parentheses that it opens"
                )
            }
        }
    }

    private static let hiddenCondition =
        "a loop cannot be read: its condition has to follow its keyword"

    /// Refuses tokens with which a shader could change the count of its iterations.
    private mutating func check(_ token: ShaderToken) {
        if LoopGuard.names.contains(token.text) {
            refuse(token, "'\(token.text)' is reserved by the player")
        }
        // The operator could compose such names.
        if token.text == "##" { refuse(token, "GLSL has no operator '##'") }
    }

    private mutating func refuse(_ token: ShaderToken, _ reason: String) {
        guard token.offset < unreadable?.offset ?? .max else { return }
        unreadable = LoopGuard.Refusal(offset: token.offset, reason: reason)
    }

    /// Returns a loop without its body, or nil if its condition cannot be found.
    ///
    /// - Parameter declares: A Boolean value that indicates whether the condition may declare a
    ///   variable.
    private func loop(
        at keyword: Int, in tokens: [ShaderToken], declares: Bool = false
    ) -> ShaderLoop? {
        let open = keyword + 1
        guard tokens.text(open) == "(", let close = tokens[open].partner else { return nil }
        var range = open..<close
        if tokens[keyword].text == "for" {
            let semicolons = (open..<close).filter {
                tokens[$0].text == ";" && tokens[$0].enclosing == open
            }
            guard semicolons.count == 2 else { return nil }
            range = semicolons[0]..<semicolons[1]
        }
        // In `while (bool goesOn = i < 8)`, the condition follows the equals sign. Macros may hide
        // this form.
        let (type, name, equals) = (
            tokens.text(range.lowerBound + 1), tokens.text(range.lowerBound + 2),
            range.lowerBound + 3
        )
        if declares, type == "bool", range.contains(equals), tokens[equals].text == "=",
            tokens.isName(equals - 1), facts.macroNames.isDisjoint(with: [type, name])
        {
            range = equals..<range.upperBound
        }
        let start = tokens[range.lowerBound].offset + 1
        return ShaderLoop(
            keyword: keyword, offset: tokens[keyword].offset,
            condition: start..<tokens[range.upperBound].offset, hasCondition: range.count > 1)
    }

    private enum Statement {
        case loop, condition, repetition
    }

    /// Returns the index after the statement that begins at a token.
    private func statementEnd(_ start: Int) -> Int {
        var index = start
        // The statements that contain the statement at the index.
        var outer: [Statement] = []
        while true {
            let word = code.text(index)
            let close = code.text(index + 1) == "(" ? code[index + 1].partner : nil
            var end = ends[index]
            if end == nil, let close, ["for", "while", "switch", "if"].contains(word) {
                outer.append(word == "if" ? .condition : .loop)
                index = close + 1
                continue
            }
            if end == nil, word == "do" {
                outer.append(.repetition)
                index += 1
                continue
            }
            if word == "{" { end = (code[index].partner ?? code.count) + 1 }
            var ended = min(end ?? simpleEnd(index), code.count)
            var goesOn = false
            while !goesOn, let statement = outer.popLast() {
                switch statement {
                case .loop: break
                case .condition where code.text(ended) == "else":
                    outer.append(.loop)
                    index = ended + 1
                    goesOn = true
                case .condition: break
                case .repetition:
                    if code.text(ended) == "while", code.text(ended + 1) == "(",
                        let close = code[ended + 1].partner
                    {
                        ended = close + (code.text(close + 1) == ";" ? 2 : 1)
                    }
                }
            }
            if !goesOn { return ended }
        }
    }

    /// Returns the index after a simple statement, which ends at a semicolon or at a token that
    /// cannot be part of it.
    private func simpleEnd(_ start: Int) -> Int {
        var index = start
        while index < code.count {
            switch code[index].text {
            case ";": return index + 1
            case "}", "for", "while", "do", "if", "else", "switch": return index
            case "{": index = (code[index].partner ?? code.count) + 1
            default: index += 1
            }
        }
        return code.count
    }

    // MARK: Counting

    private mutating func count() {
        let headers = loops.map { LoopHeader(keyword: $0.keyword, in: code, facts) }
        let names = Set(headers.compactMap { $0?.name })
        guard !names.isEmpty, !facts.isEntangled else { return }
        for index in code.indices where names.contains(code[index].text) {
            if facts.isChange(index, in: code, code.indices) {
                changes[code[index].text, default: []].append(index)
            }
        }
        if !facts.loose.isEmpty {
            looseCounts = [0]
            for token in code {
                looseCounts.append(
                    (looseCounts.last ?? 0) + (facts.loose.contains(token.text) ? 1 : 0))
            }
        }
        for index in loops.indices {
            guard let header = headers[index], isWhole(loops[index]),
                !isChanged(header.name, in: loops[index].body)
            else { continue }
            loops[index].turns = header.turns
        }
    }

    /// Returns whether the end of a loop is certain: it is in the same branch of `#if` as the
    /// start, and no macro in the loop begins or ends a block.
    private func isWhole(_ loop: ShaderLoop) -> Bool {
        guard let last = loop.body.last, code[last].branch == code[loop.keyword].branch,
            code.text(loop.body.lowerBound) != "{" || code[last].text == "}"
        else { return false }
        guard !looseCounts.isEmpty else { return true }
        let end = min(loop.body.upperBound + 1, code.count)
        return looseCounts[end] == looseCounts[loop.keyword]
    }

    private func isChanged(_ name: String, in body: Range<Int>) -> Bool {
        guard !facts.changedByMacros.contains(name) else { return true }
        guard let places = changes[name] else { return false }
        // Finds the first index that is not before the body.
        var range = places.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if places[middle] < body.lowerBound {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound < places.count && places[range.lowerBound] < body.upperBound
    }
}

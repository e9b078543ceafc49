// SPDX-License-Identifier: Apache-2.0

/// Sees to it that a shader's loops end: a GPU that is caught in one takes the desktop with it.
///
/// Loops whose number of turns stands in the text are counted, and refused where they are far too
/// many. All others (`while`, and `for` up to something that is calculated) get a second condition:
/// a count over all of them, a pixel at a time. Counted loops are left as they are, for a compiler
/// unrolls them, which it cannot where it has to count. A loop whose own variable is changed in its body
/// is not counted.
struct LoopGuard {
    /// Turns of loops within each other that are counted: a picture of 1080p would take a second or more.
    static let maximumTurns = 262_144.0
    /// Turns of all other loops of a pixel together. Marching along a ray takes some hundreds, a blur as far
    /// as 60 pixels to all sides 14,641.
    static let maximumOpenTurns = 16_384

    /// Loops of a text that are looked at: more are hostile, and take too long to look at.
    private static let maximumLoops = 1000

    /// What the guarded text refers to.
    static let declaration =
        "int playheadTurns = 0; bool playheadGoesOn() { return ++playheadTurns < \(maximumOpenTurns); }\n"

    private struct Loop {
        /// From the keyword to behind the body.
        let range: Range<Int>
        /// From the keyword to behind the parentheses.
        let header: Range<Int>
        /// The condition, without what is around it.
        let condition: Range<Int>
        /// Nil where it does not stand in the text.
        let turns: Double?
    }

    private let bytes: [UInt8]
    private let code: [UInt8]
    private var loops: [Loop] = []
    private var constants: [String: Double] = [:]
    /// All `#define`s, one after the other.
    private var macros: [UInt8] = []
    /// Whether there are functions that may change what they are given.
    private var hasOutputs = false

    init(_ text: String) {
        bytes = Array(text.utf8)
        code = ShaderText.withoutComments(bytes)
        let hasLoops = ["for", "while"].contains { !ShaderText.ranges(of: $0, in: code).isEmpty }
        guard hasLoops else { return }
        findConstants()
        hasOutputs = ["out", "inout"].contains { !ShaderText.ranges(of: $0, in: code).isEmpty }
        for word in ["for", "while"] {
            for range in ShaderText.ranges(of: word, in: code) {
                guard loops.count < Self.maximumLoops else { return }
                if let loop = loop(at: range, isFor: word == "for") { loops.append(loop) }
            }
        }
        loops.sort { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The byte of a loop that turns far too often, with those in it; nil where none does.
    var excess: (offset: Int, turns: Double)? {
        if loops.count == Self.maximumLoops { return (0, .infinity) }
        for loop in loops {
            let turns = turns(of: loop)
            if turns > Self.maximumTurns { return (loop.range.lowerBound, turns) }
        }
        return nil
    }

    /// The text with a second condition in the loops that are not counted: as many lines.
    var guarded: String {
        let open = loops.filter { $0.turns == nil }.sorted {
            $0.condition.lowerBound < $1.condition.lowerBound
        }
        guard !open.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var end = 0
        for loop in open where loop.condition.lowerBound >= end {
            result += bytes[end..<loop.condition.lowerBound]
            let isEmpty = code[loop.condition].allSatisfy { $0 == 0x20 || (9...13).contains($0) }
            if isEmpty {
                result += bytes[loop.condition] + Array(" playheadGoesOn()".utf8)
            } else {
                result += Array("(".utf8) + bytes[loop.condition]
                result += Array(") && playheadGoesOn()".utf8)
            }
            end = loop.condition.upperBound
        }
        result += bytes[end...]
        return String(decoding: result, as: UTF8.self)
    }

    private func turns(of loop: Loop) -> Double {
        let inner = loops.filter {
            $0.range.lowerBound > loop.range.lowerBound
                && $0.range.upperBound <= loop.range.upperBound
        }
        // Those in inner loops count there.
        let direct = inner.filter { candidate in
            !inner.contains {
                $0.range.lowerBound < candidate.range.lowerBound
                    && $0.range.upperBound >= candidate.range.upperBound
            }
        }
        let sum = direct.reduce(0) { $0 + turns(of: $1) }
        return (loop.turns ?? 1) * max(1, sum)
    }

    // MARK: Reading

    private func loop(at word: Range<Int>, isFor: Bool) -> Loop? {
        guard let open = skipSpace(word.upperBound), code[open] == UInt8(ascii: "("),
            let close = closing(open)
        else { return nil }
        var condition = open + 1..<close
        var turns: Double?
        if isFor {
            let parts = split(open + 1..<close)
            guard parts.count == 3 else { return nil }
            condition = parts[1]
            turns = count(parts, body: close + 1..<bodyEnd(close + 1))
        }
        let end = bodyEnd(close + 1)
        return Loop(
            range: word.lowerBound..<end, header: word.lowerBound..<close + 1,
            condition: condition, turns: turns)
    }

    /// What stands between semicolons.
    private func split(_ range: Range<Int>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        for index in range where code[index] == UInt8(ascii: ";") {
            parts.append(start..<index)
            start = index + 1
        }
        return parts + [start..<range.upperBound]
    }

    /// How often `int i = 0; i < 10; i++` turns; nil where that does not stand there.
    private func count(_ parts: [Range<Int>], body: Range<Int>) -> Double? {
        let texts = parts.map {
            String(decoding: code[$0], as: UTF8.self).filter { !$0.isWhitespace }
        }
        guard let equals = texts[0].firstIndex(of: "="),
            let first = number(texts[0][texts[0].index(after: equals)...])
        else { return nil }
        var name = texts[0][..<equals]
        for type in ["int", "float", "uint"] where name.hasPrefix(type) {
            name = name.dropFirst(type.count)
        }
        guard texts[1].hasPrefix(name), !isChanged(name, in: body) else { return nil }
        var limitText = texts[1].dropFirst(name.count)
        guard let sign = limitText.first, "<>!".contains(sign) else { return nil }
        limitText = limitText.dropFirst()
        if limitText.first == "=" { limitText = limitText.dropFirst() }
        guard let last = number(limitText), let step = step(texts[2], of: name), step != 0 else {
            return nil
        }
        let turns = (last - first) / step
        // One that steps away from its limit, or past it, goes on.
        let arrives =
            switch sign {
            case "<": step > 0
            case ">": step < 0
            default: turns >= 0 && turns == turns.rounded()
            }
        return arrives && turns.isFinite ? max(0, turns) + 1 : nil
    }

    /// Whether a variable is given another value in a loop's body or by a macro, or handed to what may
    /// do that.
    private func isChanged(_ name: Substring, in body: Range<Int>) -> Bool {
        [code[body], macros[...]].contains { text in
            ShaderText.ranges(of: String(name), in: Array(text)).contains { range in
                let start = text.startIndex
                return isChange(
                    before: text[..<(start + range.lowerBound)],
                    after: text[(start + range.upperBound)...])
            }
        }
    }

    /// Whether what stands around a variable changes it.
    private func isChange(before: ArraySlice<UInt8>, after: ArraySlice<UInt8>) -> Bool {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (9...13).contains(byte) }
        let next = String(decoding: after.drop(while: isSpace).prefix(3), as: UTF8.self)
        let end = (before.lastIndex { !isSpace($0) } ?? before.startIndex - 1) + 1
        let last = String(decoding: before[..<end].suffix(2), as: UTF8.self)
        if next.hasPrefix("="), !next.hasPrefix("==") { return true }
        if ["++", "--"].contains(where: { last == $0 || next.hasPrefix($0) }) { return true }
        let assignments = ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]
        if assignments.contains(where: next.hasPrefix) { return true }
        let isArgument =
            (last.hasSuffix("(") || last.hasSuffix(","))
            && (next.hasPrefix(")") || next.hasPrefix(","))
        return hasOutputs && isArgument
    }

    private func step(_ text: String, of name: Substring) -> Double? {
        switch text {
        case "\(name)++", "++\(name)": return 1
        case "\(name)--", "--\(name)": return -1
        default: break
        }
        if text.hasPrefix("\(name)+=") { return number(text.dropFirst(name.count + 2)) }
        if text.hasPrefix("\(name)-=") { return number(text.dropFirst(name.count + 2)).map { -$0 } }
        return nil
    }

    private func number(_ text: Substring) -> Double? {
        var text = text
        var sign = 1.0
        if text.hasPrefix("-") {
            sign = -1
            text = text.dropFirst()
        }
        for type in ["int(", "float("] where text.hasPrefix(type) && text.hasSuffix(")") {
            text = text.dropFirst(type.count).dropLast()
        }
        if let constant = constants[String(text)] { return sign * constant }
        var digits = text.hasSuffix("u") || text.hasSuffix("f") ? text.dropLast() : text
        if digits.hasSuffix(".") { digits = digits.dropLast() }
        if digits.hasPrefix(".") { return Double("0" + digits).map { sign * $0 } }
        return Double(digits).map { sign * $0 }
    }

    /// `#define N 10` and `const int N = 10;`.
    private mutating func findConstants() {
        var doubtful: Set<String> = []
        func note(_ name: String, _ value: Double, in constants: inout [String: Double]) {
            // Which of two values it has where depends on more than is read here.
            if let known = constants[name], known != value { doubtful.insert(name) }
            constants[name] = value
        }
        var goesOn = false
        for line in ShaderText.lines(String(decoding: code, as: UTF8.self)) {
            if goesOn { macros += Array(line.utf8) + [UInt8(ascii: "\n")] }
            goesOn = goesOn && line.utf8.last == UInt8(ascii: "\\")
            if let directive = ShaderText.directive(line), directive.name == "define" {
                macros += Array(directive.rest.utf8) + [UInt8(ascii: "\n")]
                goesOn = line.utf8.last == UInt8(ascii: "\\")
                let words = directive.rest.split(separator: " ")
                if words.count == 2, let value = number(words[1]) {
                    note(String(words[0]), value, in: &constants)
                }
            }
        }
        for range in ShaderText.ranges(of: "const", in: code) {
            guard let end = code[range.upperBound...].firstIndex(of: UInt8(ascii: ";")) else {
                continue
            }
            let text = String(decoding: code[range.upperBound..<end], as: UTF8.self)
            for part in text.split(separator: ",") {
                let halves = part.split(separator: "=")
                guard halves.count == 2, let name = halves[0].split(separator: " ").last,
                    let value = number(ShaderText.trimmed(halves[1]))
                else { continue }
                note(String(ShaderText.trimmed(name)), value, in: &constants)
            }
        }
        for name in doubtful { constants[name] = nil }
    }

    private func skipSpace(_ start: Int) -> Int? {
        code[min(start, code.count)...].firstIndex { $0 != 0x20 && !(9...13).contains($0) }
    }

    /// The parenthesis or brace that closes the one at an index.
    private func closing(_ start: Int) -> Int? {
        let isBrace = code[start] == UInt8(ascii: "{")
        let open = code[start]
        let close = UInt8(ascii: isBrace ? "}" : ")")
        var depth = 0
        for index in start..<code.count {
            if code[index] == open { depth += 1 }
            if code[index] == close {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }

    /// Behind the statement that begins at an index: a block, a loop of its own, or up to a semicolon.
    private func bodyEnd(_ start: Int) -> Int {
        guard let first = skipSpace(start) else { return code.count }
        if code[first] == UInt8(ascii: "{") { return (closing(first) ?? code.count - 1) + 1 }
        for word in ["for", "while", "if"] where code[first...].starts(with: word.utf8) {
            guard let open = skipSpace(first + word.utf8.count), code[open] == UInt8(ascii: "("),
                let close = closing(open)
            else { continue }
            return bodyEnd(close + 1)
        }
        return (code[first...].firstIndex(of: UInt8(ascii: ";")) ?? code.count - 1) + 1
    }
}

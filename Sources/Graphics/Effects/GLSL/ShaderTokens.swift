// SPDX-License-Identifier: Apache-2.0

/// The tokens of a shader's text, with lines joined at backslashes.
struct ShaderTokens {
    /// The tokens without directives and without the text of `#if 0`.
    private(set) var code: [ShaderToken] = []
    /// The directives, beginning with `#`.
    private(set) var directives: [[ShaderToken]] = []

    /// The operators, with the longest first.
    private static let operators = [
        ["<<=", ">>="],
        [
            "==", "<=", ">=", "!=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
            "&&", "||", "^^", "<<", ">>", "##",
        ],
    ].map { Set($0.map { Array($0.utf8)[...] }) }

    /// The state at the `#if` of an open branch.
    private struct Condition {
        let branch: Int
        let open: Int?
        let isDead: Bool
    }

    private var open: Int?
    private var branch = 0
    private var branchCount = 0
    private var conditions: [Condition] = []
    /// A Boolean value that indicates whether the current text is in a branch that every compiler
    /// skips.
    private var isDead = false
    /// A Boolean value that indicates whether `#if 0` means the same to every compiler.
    private let skips: Bool

    init(_ text: JoinedText) {
        let bytes = text.bytes
        skips = text.ambiguity == nil
        var line: [ShaderToken] = []
        var openInLine: Int?
        var isLineStart = true
        var index = 0
        var end = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x0A || byte == 0x0D {
                finish(&line)
                openInLine = nil
                isLineStart = true
            }
            if byte == 0x20 || (9...13).contains(byte) {
                index += 1
                continue
            }
            let length = Self.length(of: bytes[index...])
            let token = ShaderToken(
                text: String(decoding: bytes[index..<index + length], as: UTF8.self),
                offset: text.place(of: index), isAdjacent: end == index, branch: branch)
            if !line.isEmpty || isLineStart && byte == UInt8(ascii: "#") {
                line.append(token, in: &openInLine)
            } else if !isDead {
                code.append(token, in: &open)
            }
            isLineStart = false
            index += length
            end = index
        }
        finish(&line)
    }

    private static func length(of bytes: ArraySlice<UInt8>) -> Int {
        guard let first = bytes.first else { return 0 }
        let second = bytes.dropFirst().first ?? 0
        if ShaderText.isDigit(first) || first == UInt8(ascii: ".") && ShaderText.isDigit(second) {
            return numberLength(of: bytes)
        }
        if ShaderText.isWord(first) { return bytes.prefix(while: ShaderText.isWord).count }
        for operators in operators {
            let length = operators.first?.count ?? 0
            if operators.contains(bytes.prefix(length)) { return length }
        }
        return 1
    }

    private static func numberLength(of bytes: ArraySlice<UInt8>) -> Int {
        let isHexadecimal = [UInt8(ascii: "x"), UInt8(ascii: "X")].contains(
            bytes.dropFirst().first ?? 0)
        var last: UInt8 = 0
        let number = bytes.prefix { byte in
            defer { last = byte }
            if ShaderText.isWord(byte) || byte == UInt8(ascii: ".") { return true }
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            let isExponent = last == UInt8(ascii: "e") || last == UInt8(ascii: "E")
            return isSign && isExponent && !isHexadecimal
        }
        return number.count
    }

    /// Ends a directive. Branches are alternatives, so each branch begins with the brackets that
    /// were open at the `#if`.
    private mutating func finish(_ line: inout [ShaderToken]) {
        guard !line.isEmpty else { return }
        switch line.text(1) {
        case "if", "ifdef", "ifndef":
            conditions.append(Condition(branch: branch, open: open, isDead: isDead))
            beginBranch()
            isDead = isDead || skips && line.map(\.text) == ["#", "if", "0"]
        case "else", "elif":
            if let condition = conditions.last {
                (open, isDead) = (condition.open, condition.isDead)
            }
            beginBranch()
        case "endif":
            let condition = conditions.popLast()
            branch = condition?.branch ?? 0
            isDead = condition?.isDead ?? false
        default: break
        }
        if !isDead { directives.append(line) }
        line.removeAll()
    }

    private mutating func beginBranch() {
        branchCount += 1
        branch = branchCount
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Decodes the keys that a terminal sends.
///
/// Terminals send a key without a character as a sequence that begins with escape (ECMA-48). An
/// unknown sequence is skipped as a whole, because its bytes would otherwise be taken for keys. An
/// incomplete sequence is kept until the rest arrives. An escape that arrives alone is the Escape
/// key.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: mpv's terminal input; `terminfo`'s `kcuu1` and others.
package struct TerminalKeyDecoder: Sendable {
    /// The bytes of an incomplete sequence.
    private var pending: [UInt8] = []
    /// The length of the longest sequence, in bytes.
    private static let longestSequence = 32

    package init() {}

    /// Decodes bytes.
    ///
    /// - Returns: the names of keys, as in bindings: `SPACE`, `UP`, `a`.
    package mutating func keys(in bytes: some Sequence<UInt8>) -> [String] {
        let all = pending + bytes
        pending = []
        var rest = all[...]
        var keys: [String] = []
        while let first = rest.first {
            guard first == 0x1B, rest.count > 1 else {
                if let key = Self.key(first) { keys.append(key) }
                rest = rest.dropFirst()
                continue
            }
            guard let length = Self.length(of: rest) else {
                if rest.count < Self.longestSequence { pending = Array(rest) }
                break
            }
            let name =
                length == 1 ? "ESC" : Self.sequences[Array(rest.dropFirst().prefix(length - 1))]
            if let name { keys.append(name) }
            rest = rest.dropFirst(length)
        }
        return keys
    }

    private static func key(_ byte: UInt8) -> String? {
        switch byte {
        case 0x20: "SPACE"
        case 0x0A, 0x0D: "ENTER"
        case 0x7F, 0x08: "BS"
        case 0x1B: "ESC"
        case 0x21...0x7E: String(UnicodeScalar(byte))
        default: nil
        }
    }

    /// Returns the length of the sequence at the start; nil if it is incomplete.
    private static func length(of bytes: ArraySlice<UInt8>) -> Int? {
        let rest = bytes.dropFirst(2)
        switch bytes.dropFirst().first {
        case UInt8(ascii: "O"): return rest.isEmpty ? nil : 3
        case UInt8(ascii: "["):
            // Linux's console sends one more byte for F1 to F5.
            if rest.first == UInt8(ascii: "[") { return rest.count > 1 ? 4 : nil }
            // Numbers, then a final letter: ECMA-48, section 5.4.
            return rest.firstIndex { (0x40...0x7E).contains($0) }.map { $0 - bytes.startIndex + 1 }
        default: return 1
        }
    }

    /// The keys of sequences from ECMA-48 and of others that terminals use, without the escape
    /// character.
    private static let sequences: [[UInt8]: String] = Dictionary(
        uniqueKeysWithValues: [
            ("[A", "UP"), ("[B", "DOWN"), ("[C", "RIGHT"), ("[D", "LEFT"),
            ("OA", "UP"), ("OB", "DOWN"), ("OC", "RIGHT"), ("OD", "LEFT"),
            ("[5~", "PGUP"), ("[6~", "PGDWN"),
            ("[H", "HOME"), ("[1~", "HOME"), ("[7~", "HOME"), ("OH", "HOME"),
            ("[F", "END"), ("[4~", "END"), ("[8~", "END"), ("OF", "END"),
            ("[2~", "INS"), ("[3~", "DEL"),
            ("[1;2A", "Shift+UP"), ("[1;2B", "Shift+DOWN"),
            ("[1;2C", "Shift+RIGHT"), ("[1;2D", "Shift+LEFT"),
        ].map { (Array($0.0.utf8), $0.1) })
}

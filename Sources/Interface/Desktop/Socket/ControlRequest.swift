// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A line that a client has sent, read: `{"command": ["seek", 5], "request_id": 1}`, or the commands
/// themselves, as a file of keys has them.
///
/// - Concurrency: a value; any thread.
struct ControlRequest: Sendable {
    enum Body: Sendable {
        /// A command with its arguments, numbers and flags as words.
        case command([String])
        /// Commands as text.
        case text(String)
        /// What can be read as neither.
        case invalid(String)
    }

    var body: Body
    /// By which the client knows the answer.
    var number: Int?

    /// More arguments than any command has.
    private static let maximumArguments = 64

    init(_ line: [UInt8]) {
        guard let text = String(validating: line, as: UTF8.self) else {
            body = .invalid("the line is no UTF-8")
            return
        }
        let trimmed = text.drop { $0.isWhitespace }
        guard trimmed.first == "{" else {
            body = .text(String(trimmed))
            return
        }
        // Depth is bounded here: nothing that is read is nested more than twice.
        guard Self.depth(of: line) <= 4,
            let fields = (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any]
        else {
            body = .invalid("the line is no JSON")
            return
        }
        number = (fields["request_id"] as? NSNumber).map { Int(truncating: $0) }
        guard let words = Self.words(fields["command"]) else {
            body = .invalid("\"command\" is no list of words, numbers and flags")
            return
        }
        body = .command(words)
    }

    private static func words(_ value: Any?) -> [String]? {
        guard let list = value as? [Any], !list.isEmpty, list.count <= maximumArguments else {
            return nil
        }
        var words: [String] = []
        for entry in list {
            switch entry {
            case let text as String: words.append(text)
            case let flag as Bool: words.append(flag ? "yes" : "no")
            case let number as Int: words.append(String(number))
            case let number as Double where number.isFinite: words.append(String(number))
            default: return nil
            }
        }
        return words
    }

    /// How deep brackets are nested, those in words not counted.
    private static func depth(of line: [UInt8]) -> Int {
        var (depth, deepest) = (0, 0)
        var (isQuoted, isEscaped) = (false, false)
        for byte in line {
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isQuoted = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isQuoted = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    deepest = max(deepest, depth)
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
            }
        }
        return deepest
    }
}

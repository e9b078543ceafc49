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
            let fields = try? JSONDecoder().decode(Fields.self, from: Data(line))
        else {
            body = .invalid("the line is no JSON")
            return
        }
        number = fields.number
        guard let words = fields.words, !words.isEmpty, words.count <= Self.maximumArguments else {
            body = .invalid("\"command\" is no list of words, numbers and flags")
            return
        }
        body = .command(words)
    }

    /// What the line has; nil where it is of another kind.
    private struct Fields: Decodable {
        var words: [String]?
        var number: Int?

        private enum CodingKeys: String, CodingKey {
            case words = "command"
            case number = "request_id"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            words = (try? fields.decode([Word].self, forKey: .words))?.map(\.text)
            number = (try? fields.decode(Double.self, forKey: .number)).flatMap {
                Int(exactly: $0.rounded(.towardZero))
            }
        }
    }

    /// One word of a command. 0 and 1 are numbers, which `JSONSerialization` does not tell from flags.
    private struct Word: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let flag = try? value.decode(Bool.self) {
                text = flag ? "yes" : "no"
            } else if let number = try? value.decode(Int.self) {
                text = String(number)
            } else if let number = try? value.decode(Double.self), number.isFinite {
                // As commands are written: without a power of ten.
                text = Decimal(number).description
            } else {
                text = try value.decode(String.self)
            }
        }
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

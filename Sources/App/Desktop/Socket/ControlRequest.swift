// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A parsed line from an IPC client. It contains a command as an array, as in
/// `{"command": ["seek", 5], "request_id": 1}`, a command as an object, such as
/// `{"name": "seek", "target": 5}`, or commands as text.
///
/// - Concurrency: a value; any thread.
struct ControlRequest: Sendable {
    enum Body: Sendable {
        /// A command and its arguments as words.
        case command([String])
        /// A command with named arguments and prefixes.
        case named(String, arguments: [String: String], prefixes: [String])
        /// Commands as text.
        case text(String)
        /// An invalid line. The associated value is the reason.
        case invalid(String)
    }

    var body: Body
    /// The request ID, which the reply repeats.
    var number: Int?

    /// The maximum number of arguments.
    private static let maximumArguments = 64

    init(_ line: [UInt8]) {
        guard let text = String(validating: line, as: UTF8.self) else {
            body = .invalid("the line is not UTF-8")
            return
        }
        let trimmed = text.drop { $0.isWhitespace }
        guard trimmed.first == "{" else {
            body = .text(String(trimmed))
            return
        }
        // The depth is limited before decoding. Valid requests have at most two levels of nesting.
        guard Self.depth(of: line) <= 4,
            let fields = try? JSONDecoder().decode(Fields.self, from: Data(line))
        else {
            body = .invalid("the line is not JSON")
            return
        }
        number = fields.number
        switch fields.command {
        case .command(let words)
        where (1...Self.maximumArguments).contains(words.count): body = .command(words)
        case .named(let name, let arguments, let prefixes)
        where arguments.count + prefixes.count <= Self.maximumArguments:
            body = .named(name, arguments: arguments, prefixes: prefixes)
        default:
            body = .invalid(
                "expected \"command\" to be a list of strings, numbers and flags, or an object "
                    + "with a \"name\""
            )
        }
    }

    /// The fields of a line. A field is nil if its type is different.
    private struct Fields: Decodable {
        var command: Body?
        var number: Int?

        private enum CodingKeys: String, CodingKey {
            case command
            case number = "request_id"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            if let words = try? fields.decode([Word].self, forKey: .command) {
                command = .command(words.map(\.text))
            } else if let named = try? fields.decode(Named.self, forKey: .command) {
                command = .named(
                    named.name, arguments: named.arguments, prefixes: named.prefixes)
            }
            // A `Double` cannot represent all 64-bit integers.
            number =
                (try? fields.decode(Int.self, forKey: .number))
                ?? (try? fields.decode(Double.self, forKey: .number)).flatMap {
                    Int(exactly: $0.rounded(.towardZero))
                }
        }
    }

    /// A command as an object. As in mpv, `name` is the command and `_flags` has the prefixes.
    private struct Named: Decodable {
        let name: String
        var arguments: [String: String] = [:]
        var prefixes: [String] = []

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            name = try fields.decode(String.self, forKey: Key(stringValue: "name"))
            for key in fields.allKeys {
                switch key.stringValue {
                case "name": break
                case "_flags": prefixes = try fields.decode([String].self, forKey: key)
                default:
                    arguments[key.stringValue] = try fields.decode(Word.self, forKey: key).text
                }
            }
        }
    }

    /// A word of a command. `JSONSerialization` does not distinguish 0 and 1 from Booleans.
    private struct Word: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let flag = try? value.decode(Bool.self) {
                text = flag ? "yes" : "no"
            } else if let number = try? value.decode(Int.self) {
                text = String(number)
            } else if let number = try? value.decode(Double.self), number.isFinite {
                // Numbers in commands have no exponents.
                text = Decimal(number).description
            } else {
                text = try value.decode(String.self)
            }
        }
    }

    /// Returns the nesting depth of brackets outside of strings.
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

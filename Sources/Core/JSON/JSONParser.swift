// SPDX-License-Identifier: Apache-2.0

/// A strict JSON parser that reports the place of an error.
///
/// Foundation's decoder on Linux does not report the line of an error. Authors of effects write the
/// JSON headers of their effects by hand and need the line.
///
/// - Corresponds to: RFC 8259. If several members have the same name, the last one counts.
package struct JSONParser {
    package struct Failure: Error {
        /// The line, from 1.
        package let line: Int
        package let column: Int
        package let reason: String
    }

    /// The limits of a format, and the extensions to RFC 8259 that it allows.
    package struct Options: Sendable {
        /// The maximum nesting depth. An effect header that exceeds it is presumably malicious.
        package var maximumDepth = 64
        /// The maximum number of values, nested ones included. A value takes up to a hundred times
        /// the memory of its text.
        package var maximumValues = Int.max
        /// A Boolean value that indicates whether `NaN`, `Infinity`, `Inf` and their negatives are
        /// accepted as numbers.
        package var allowsNonFiniteNumbers = false
        /// The names of members whose values are checked but not stored, which saves memory.
        package var skippedMembers: Set<String> = []

        package init() {}
    }

    private let options: Options
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    /// The number of values that have been read and may be stored.
    private var valueCount = 0
    /// The line numbers of members and elements; nil if they are not recorded.
    private var places: JSONPlaces?
    /// The errors for trailing commas that were accepted; nil if trailing commas are refused.
    private var lastCommas: [Failure]?

    /// Parses a text that contains exactly one value.
    package static func parse(_ text: String) throws(Failure) -> JSONValue {
        var parser = JSONParser(bytes: Array(text.utf8))
        return try parser.whole()
    }

    /// Parses a text that contains exactly one value, with the limits and extensions of a format.
    package static func parse(
        _ bytes: [UInt8], options: Options
    ) throws(Failure) -> JSONValue {
        var parser = JSONParser(bytes: bytes, options: options)
        return try parser.whole()
    }

    /// Parses a text that contains exactly one value, and records the line of each member and
    /// element.
    package static func parseWithPlaces(
        _ text: String
    ) throws(Failure) -> (value: JSONValue, places: JSONPlaces) {
        var parser = JSONParser(bytes: Array(text.utf8))
        parser.places = JSONPlaces()
        let value = try parser.whole()
        return (value, parser.places ?? JSONPlaces())
    }

    /// Parses a value whose objects and arrays may end with a comma, which is common in files that
    /// are edited by hand. Also returns the errors for such commas.
    package static func parseLeniently(
        _ text: String
    ) throws(Failure) -> (value: JSONValue, lastCommas: [Failure]) {
        var parser = JSONParser(bytes: Array(text.utf8))
        parser.lastCommas = []
        let value = try parser.whole()
        return (value, parser.lastCommas ?? [])
    }

    private mutating func whole() throws(Failure) -> JSONValue {
        let value = try value()
        skipSpace()
        guard position == bytes.count else {
            throw failure("unexpected text after the value")
        }
        return value
    }

    private init(bytes: [UInt8], options: Options = Options()) {
        self.bytes = bytes
        self.options = options
    }

    private mutating func value() throws(Failure) -> JSONValue {
        skipSpace()
        guard let byte = current else { throw failure("expected a value") }
        guard valueCount < options.maximumValues else {
            throw failure("more than \(options.maximumValues) values")
        }
        valueCount += 1
        switch byte {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "N"), UInt8(ascii: "I"): return .number(try nonFiniteNumber())
        default: return .number(try number())
        }
    }

    private mutating func object() throws(Failure) -> JSONValue {
        try descend()
        defer { depth -= 1 }
        var members: [String: JSONValue] = [:]
        var isFirst = true
        position += 1
        if take("}") { return .object(members) }
        repeat {
            if try isLastComma(before: "}", isFirst: isFirst) { break }
            isFirst = false
            guard current == UInt8(ascii: "\"") else {
                throw failure("expected a name in quotation marks")
            }
            let start = position
            let name = try string()
            places?.enter(name, at: start, in: bytes)
            guard take(":") else { throw failure("':' is missing after \"\(name)\"") }
            let count = valueCount
            let value = try value()
            if options.skippedMembers.contains(name) {
                valueCount = count
            } else {
                members[name] = value
            }
            places?.leave()
        } while take(",")
        guard take("}") else { throw failure("',' or '}' is missing") }
        return .object(members)
    }

    private mutating func array() throws(Failure) -> JSONValue {
        try descend()
        defer { depth -= 1 }
        var elements: [JSONValue] = []
        position += 1
        if take("]") { return .array(elements) }
        repeat {
            if try isLastComma(before: "]", isFirst: elements.isEmpty) { break }
            places?.enter("\(elements.count)", at: position, in: bytes)
            elements.append(try value())
            places?.leave()
        } while take(",")
        guard take("]") else { throw failure("',' or ']' is missing") }
        return .array(elements)
    }

    /// Returns whether the comma that was just read is a trailing comma. A trailing comma is an
    /// error unless such commas are accepted and recorded.
    private mutating func isLastComma(
        before end: Unicode.Scalar, isFirst: Bool
    ) throws(Failure) -> Bool {
        skipSpace()
        guard current == UInt8(ascii: end) else { return false }
        let comma = failure("trailing ','; remove it")
        guard lastCommas != nil, !isFirst else { throw comma }
        lastCommas?.append(comma)
        return true
    }

    private mutating func descend() throws(Failure) {
        guard depth < options.maximumDepth else { throw failure("nested too deeply") }
        depth += 1
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(Failure) -> JSONValue {
        let text = word.description.utf8
        guard bytes[position...].starts(with: text) else { throw failure("expected a JSON value") }
        position += text.count
        return value
    }

    /// Reads `NaN`, `Infinity` or `Inf`, which RFC 8259 does not allow.
    private mutating func nonFiniteNumber() throws(Failure) -> Double {
        guard options.allowsNonFiniteNumbers else { throw failure("expected a JSON value") }
        for (text, value) in [("NaN", Double.nan), ("Infinity", .infinity), ("Inf", .infinity)]
        where bytes[position...].starts(with: text.utf8) {
            position += text.utf8.count
            return value
        }
        throw failure("expected a JSON value")
    }

    private mutating func number() throws(Failure) -> Double {
        let start = position
        if options.allowsNonFiniteNumbers, bytes[position...].starts(with: "-I".utf8) {
            position += 1
            return -(try nonFiniteNumber())
        }
        while let byte = current, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = Double(text), number.isFinite, text.first != "+", text.first != "."
        else {
            position = start
            throw failure("expected a JSON value")
        }
        return number
    }

    private mutating func string() throws(Failure) -> String {
        position += 1
        var result: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\"") {
            // RFC 8259 forbids bare line feeds in strings, but some effect headers contain them,
            // and their meaning is clear.
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            result.append(contentsOf: try escape().utf8)
        }
        guard current != nil else { throw failure("unterminated string") }
        position += 1
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func escape() throws(Failure) -> String {
        guard let byte = current else { throw failure("unterminated string") }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return String(Unicode.Scalar(byte))
        case UInt8(ascii: "u"):
            var units = [try codeUnit()]
            if UTF16.isLeadSurrogate(units[0]), bytes[position...].starts(with: "\\u".utf8) {
                position += 2
                units.append(try codeUnit())
            }
            return String(decoding: units, as: UTF16.self)
        default:
            position -= 1
            throw failure("invalid escape sequence")
        }
    }

    private mutating func codeUnit() throws(Failure) -> UInt16 {
        let end = position + 4
        guard end <= bytes.count,
            let unit = UInt16(String(decoding: bytes[position..<end], as: UTF8.self), radix: 16)
        else { throw failure("expected four hexadecimal digits after \\u") }
        position = end
        return unit
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
    }

    private func failure(_ reason: String) -> Failure {
        let before = bytes[..<min(position, bytes.count)]
        let newline = UInt8(ascii: "\n")
        let line = 1 + before.reduce(0) { $0 + ($1 == newline ? 1 : 0) }
        let lineStart = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
        return Failure(line: line, column: before.count - lineStart + 1, reason: reason)
    }
}

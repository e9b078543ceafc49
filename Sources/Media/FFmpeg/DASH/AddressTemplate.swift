// SPDX-License-Identifier: Apache-2.0

/// A template for the addresses of segments.
///
///     AddressTemplate("$RepresentationID$/$Number%05d$.m4s")
///
/// - Concurrency: a value.
/// - Corresponds to: ISO/IEC 23009-1, 5.3.9.4.4.
struct AddressTemplate {
    /// The values that a template can contain.
    struct Values {
        var representation: String
        var bandwidth: Int
        var number: Int64 = 0
        var time: Int64 = 0
    }

    private enum Part {
        case text(Substring)
        case representation
        case number(width: Int)
        case time(width: Int)
        case bandwidth(width: Int)
    }

    private var parts: [Part] = []
    /// The maximum number of digits to which a number is extended.
    private static let maximumWidth = 32

    /// Parses a template. Fails if it contains an unknown identifier.
    init?(_ text: String) {
        var rest = text[...]
        while let start = rest.firstIndex(of: "$") {
            parts.append(.text(rest[..<start]))
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: "$") else { return nil }
            guard let part = Self.part(rest[..<end]) else { return nil }
            parts.append(part)
            rest = rest[rest.index(after: end)...]
        }
        parts.append(.text(rest))
    }

    private static func part(_ identifier: Substring) -> Part? {
        if identifier.isEmpty { return .text("$") }
        let halves = identifier.split(
            separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var width = 1
        if halves.count == 2 {
            // The format is %0 with a width and d.
            guard halves[1].first == "0", halves[1].last == "d",
                let digits = Int(halves[1].dropLast()), (0...maximumWidth).contains(digits)
            else { return nil }
            width = digits
        }
        switch halves[0] {
        case "RepresentationID" where halves.count == 1: return .representation
        case "Number": return .number(width: width)
        case "Time": return .time(width: width)
        case "Bandwidth": return .bandwidth(width: width)
        default: return nil
        }
    }

    func address(_ values: Values) -> String {
        parts.reduce(into: "") { result, part in
            switch part {
            case .text(let text): result += text
            case .representation: result += values.representation
            case .number(let width): result += Self.digits(values.number, width)
            case .time(let width): result += Self.digits(values.time, width)
            case .bandwidth(let width): result += Self.digits(Int64(values.bandwidth), width)
            }
        }
    }

    private static func digits(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(width - text.utf8.count, 0)) + text
    }
}

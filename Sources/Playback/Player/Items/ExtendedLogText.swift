// SPDX-License-Identifier: Apache-2.0

/// A text in the W3C Extended Log File Format: directives, then a line of values for each entry.
///
/// - Concurrency: a value.
struct ExtendedLogText {
    /// A value of an entry.
    enum Value {
        /// A number, which is unknown if it is negative.
        case number(Double)
        case count(Int)
        /// A text, which is unknown if it is nil or empty.
        case text(String?)
        /// A date, in seconds since 1970, which becomes two values: date and time.
        case date(Double)
    }

    private(set) var text: String

    /// - Parameter fields: The names of the fields, separated by spaces.
    init(fields: String) {
        text = "#Version: 1.0\n#Software: Playhead\n#Fields: \(fields)\n"
    }

    mutating func append(_ values: [Value]) {
        text += values.map(Self.string).joined(separator: " ") + "\n"
    }

    private static func string(_ value: Value) -> String {
        switch value {
        case .number(let number):
            guard number >= 0, number.isFinite else { return "-" }
            // The format has no exponents.
            guard number < 1e15 else { return "-" }
            let thousandths = Int64((number * 1000).rounded())
            let fraction = String(thousandths % 1000)
            return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - fraction.count)
                + fraction
        case .count(let count): return count >= 0 ? String(count) : "-"
        case .text(let text): return string(text ?? "")
        case .date(let date): return string(date)
        }
    }

    /// Returns a text as one value. A text that is more than a word is in quotation marks, and a
    /// quotation mark in it is doubled. A line must not end within it.
    private static func string(_ text: String) -> String {
        guard !text.isEmpty else { return "-" }
        let line = text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }
        var result = ""
        result.unicodeScalars.append(contentsOf: line)
        guard result == "-" || result.contains(where: { $0 == " " || $0 == "\"" }) else {
            return result
        }
        let parts = result.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"\(parts.joined(separator: "\"\""))\""
    }

    /// Returns a date as `2026-01-31 09:05:00.250`, in UTC.
    private static func string(_ date: Double) -> String {
        guard date >= 0, date < 1e11 else { return "- -" }
        let milliseconds = Int64((date * 1000).rounded(.down))
        let (days, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000)
        // The calendar is counted in eras of 400 years from March, so that a leap day is last.
        let shifted = days + 719_468
        let (era, day) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = era * 400 + yearOfEra + (month < 10 ? 0 : 1)
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        func padded(_ number: Int64, _ count: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(count - digits.count, 0)) + digits
        }
        return "\(padded(year, 4))-\(padded(month < 10 ? month + 3 : month - 9, 2))-"
            + "\(padded(dayOfMonth, 2)) \(padded(rest / 3_600_000, 2)):"
            + "\(padded(rest / 60_000 % 60, 2)):\(padded(rest / 1000 % 60, 2))."
            + padded(rest % 1000, 3)
    }
}

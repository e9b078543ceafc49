// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// Dates in UTC, in microseconds since 1970.
enum UTCDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns a date in the form of ISO 8601, with milliseconds.
    static func text(_ microseconds: Int64) -> String {
        let milliseconds = microseconds.flooredQuotient(by: 1000)
        let days = milliseconds.flooredQuotient(by: 86_400_000)
        let time = milliseconds - days * 86_400_000
        // The calculation uses years that begin in March, so that the leap day is the last day of
        // a year.
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let day = shifted - era * 146_097
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let calendarMonth = month < 10 ? month + 3 : month - 9
        let calendarYear = year + era * 400 + (calendarMonth <= 2 ? 1 : 0)
        return padded(calendarYear, 4) + "-" + padded(calendarMonth, 2) + "-"
            + padded(dayOfMonth, 2) + "T" + padded(time / 3_600_000, 2) + ":"
            + padded(time / 60_000 % 60, 2) + ":" + padded(time / 1000 % 60, 2) + "."
            + padded(time % 1000, 3) + "Z"
    }

    /// Returns a date that is stated in the form of ISO 8601 or of HTTP (RFC 9110, 5.6.7); nil for
    /// other texts.
    static func microseconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        var iso = text
        if words.count == 6, let month = months.firstIndex(of: String(words[2])) {
            iso = "\(words[3])-\(padded(Int64(month + 1), 2))-\(words[1])T\(words[4])Z"
        }
        guard let seconds = MetadataDate(iso)?.secondsSince1970, seconds.magnitude < 1e11 else {
            return nil
        }
        return Int64((seconds * 1e6).rounded())
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(width - text.utf8.count, 0)) + text
    }
}

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}

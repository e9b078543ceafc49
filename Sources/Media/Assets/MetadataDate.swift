// SPDX-License-Identifier: Apache-2.0

/// A date in ISO 8601, as files state it: from `2012` to `2012-04-03T10:20:30.5+02:00`, with
/// separators or without (`20120403T102030Z`). Week dates and ordinal dates are not supported.
package struct MetadataDate: Equatable {
    /// The beginning of the date, in seconds since 1970. If the date states no time zone, UTC is
    /// used.
    package var secondsSince1970: Double

    package init?(_ text: String) {
        let trimmed = text.trimmed
        let halves = trimmed.split(maxSplits: 1, omittingEmptySubsequences: false) {
            $0 == "T" || $0 == "t" || $0 == " "
        }
        guard let date = halves.first else { return nil }
        let fields =
            date.count == 8 && date.allSatisfy(\.isASCIIDigit)
            ? [date.prefix(4), date.dropFirst(4).prefix(2), date.suffix(2)]
            : date.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...3).contains(fields.count), fields[0].count == 4,
            fields.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) && !$0.isEmpty })
        else { return nil }
        let numbers = fields.compactMap { Int($0) }
        guard numbers.count == fields.count else { return nil }
        let month = numbers.count > 1 ? numbers[1] : 1
        let day = numbers.count > 2 ? numbers[2] : 1
        guard (1...12).contains(month), day >= 1,
            day <= Self.days(numbers[0], month + 1, 1) - Self.days(numbers[0], month, 1)
        else { return nil }
        var seconds = Double(Self.days(numbers[0], month, day)) * 86400
        if halves.count == 2 {
            guard let time = Self.seconds(halves[1]) else { return nil }
            seconds += time
        }
        secondsSince1970 = seconds
    }

    /// Converts a time such as `10:20:30.5+02:00` or `102030Z` to seconds since midnight UTC. The
    /// zone, the minutes and the seconds are optional.
    private static func seconds(_ text: Substring) -> Double? {
        var clock = text
        var offset = 0.0
        if let zone = text.firstIndex(where: { "Zz+-".contains($0) }) {
            clock = text[..<zone]
            let sign: Double = text[zone] == "-" ? -1 : 1
            let digits = text[text.index(after: zone)...].filter { $0 != ":" }
            if !digits.isEmpty {
                guard digits.count == 4 || digits.count == 2, let hours = Double(digits.prefix(2)),
                    let minutes = digits.count == 4 ? Double(digits.suffix(2)) : 0
                else { return nil }
                offset = sign * (hours * 3600 + minutes * 60)
            }
        }
        while clock.last == " " { clock.removeLast() }
        var digits = String(clock.map { $0 == "," ? "." : $0 })
        if !digits.contains(":") {
            // There are two digits for each part, up to the seconds.
            let whole = digits.prefix { $0 != "." }
            guard whole.count <= 6, whole.count % 2 == 0 else { return nil }
            for place in [4, 2] where whole.count > place {
                digits.insert(":", at: digits.index(digits.startIndex, offsetBy: place))
            }
        }
        let parts = digits.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count),
            parts.allSatisfy({ $0.first?.isASCIIDigit == true })
        else { return nil }
        let values = parts.compactMap { Double($0) }
        // 24:00 is the end of a day, and a minute may have a leap second.
        guard values.count == parts.count, values[0] <= 24,
            values.dropFirst().allSatisfy({ $0 < 61 })
        else { return nil }
        return zip(values, [3600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 } - offset
    }

    /// Returns the number of days from 1970-01-01 to a date of the Gregorian calendar. The
    /// calculation uses years that begin in March, so that the leap day is the last day of a year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        if month == 13 { return days(year + 1, 1, day) }
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146097 + dayOfEra - 719468
    }
}

extension String {
    fileprivate var trimmed: Substring {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

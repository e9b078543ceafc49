// SPDX-License-Identifier: Apache-2.0

/// A date as files state it: ISO 8601, from `2012` to `2012-04-03T10:20:30.5+02:00`.
struct MetadataDate: Equatable {
    /// Of its beginning, in UTC where it names no zone.
    var secondsSince1970: Double

    init?(_ text: String) {
        let trimmed = text.trimmed
        let halves = trimmed.split(maxSplits: 1, omittingEmptySubsequences: false) {
            $0 == "T" || $0 == "t" || $0 == " "
        }
        guard let date = halves.first else { return nil }
        let fields = date.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...3).contains(fields.count), fields[0].count == 4,
            fields.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) && !$0.isEmpty })
        else { return nil }
        let numbers = fields.compactMap { Int($0) }
        guard numbers.count == fields.count else { return nil }
        let month = numbers.count > 1 ? numbers[1] : 1
        let day = numbers.count > 2 ? numbers[2] : 1
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        var seconds = Double(Self.days(numbers[0], month, day)) * 86400
        if halves.count == 2 {
            guard let time = Self.seconds(halves[1]) else { return nil }
            seconds += time
        }
        secondsSince1970 = seconds
    }

    /// Seconds since midnight UTC of `10:20:30.5+02:00`; the zone may be missing, or `Z`.
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
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        let values = parts.compactMap { Double($0) }
        guard values.count == parts.count, values.allSatisfy({ (0..<62).contains($0) }) else {
            return nil
        }
        return values[0] * 3600 + values[1] * 60 + (values.count > 2 ? values[2] : 0) - offset
    }

    /// Days from 1970-01-01 to a date of the Gregorian calendar: counted in years that begin in March,
    /// so that the leap day is the last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
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

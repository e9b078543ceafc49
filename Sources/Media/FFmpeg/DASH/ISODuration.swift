// SPDX-License-Identifier: Apache-2.0

/// Durations as XML documents state them, such as `PT1H2M3.5S`.
///
/// - Corresponds to: `xs:duration` of XML Schema.
enum ISODuration {
    /// Returns a duration in microseconds; nil if the text is not one or the duration is too long.
    /// A year counts as 365 days, and a month as 30.
    static func microseconds(_ text: String) -> Int64? {
        var rest = text[...]
        let isNegative = rest.first == "-"
        if isNegative { rest = rest.dropFirst() }
        guard rest.popFirst() == "P", !rest.isEmpty else { return nil }
        var isTime = false
        var seconds = 0.0
        while let first = rest.first {
            if first == "T" {
                guard !isTime else { return nil }
                isTime = true
                rest = rest.dropFirst()
                continue
            }
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let number = Double(digits), let unit = rest[digits.endIndex...].first,
                let length = length(of: unit, isTime: isTime)
            else { return nil }
            seconds += number * length
            rest = rest[digits.endIndex...].dropFirst()
        }
        guard seconds < 1e12 else { return nil }
        let value = Int64((seconds * 1e6).rounded())
        return isNegative ? -value : value
    }

    private static func length(of unit: Character, isTime: Bool) -> Double? {
        switch (unit, isTime) {
        case ("Y", false): 365 * 86_400
        case ("M", false): 30 * 86_400
        case ("D", false): 86_400
        case ("H", true): 3600
        case ("M", true): 60
        case ("S", true): 1
        default: nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// Parses and formats times and numbers in commands.
package enum CommandTime {
    /// Parses seconds, minutes and seconds, or hours, minutes and seconds: `-5`, `12.5`,
    /// `1:02:03.25`. The result is exact to the nanosecond.
    ///
    /// - Returns: nil if the text is not a time.
    package static func parse(_ text: String) -> MediaTime? {
        let isNegative = text.hasPrefix("-")
        let body = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let fields = body.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(fields.count), let last = fields.last else { return nil }
        var whole: Int64 = 0
        for field in fields.dropLast() {
            guard let number = digits(field) else { return nil }
            whole = (whole + number) * 60
        }
        let parts = last.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.contains(where: { !$0.isEmpty }),
            let seconds = parts[0].isEmpty ? 0 : digits(parts[0])
        else { return nil }
        whole += seconds
        let fraction = parts.count == 2 ? parts[1].prefix(9) : ""
        guard parts.count == 1 || isDigits(parts[1]) || parts[1].isEmpty else { return nil }
        guard let numerator = fraction.isEmpty ? 0 : digits(fraction) else { return nil }
        let scale = fraction.reduce(into: Int32(1)) { scale, _ in scale *= 10 }
        let (scaled, isTooLong) = whole.multipliedReportingOverflow(by: Int64(scale))
        let (value, isPast) = scaled.addingReportingOverflow(numerator)
        guard !isTooLong, !isPast else { return nil }
        return MediaTime(value: isNegative ? -value : value, timescale: scale)
    }

    /// Parses at most nine digits, so that sums stay within 64 bits.
    private static func digits(_ text: Substring) -> Int64? {
        text.count <= 9 && isDigits(text) ? Int64(text) : nil
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// Returns a number without trailing zeros, in any locale: `5`, `-0.25`.
    package static func text(_ number: Double) -> String {
        // Larger whole numbers are not exact.
        if number.magnitude < 1e15, number == number.rounded() { return String(Int64(number)) }
        return String(number)
    }

    /// Returns the seconds of a time.
    static func text(_ time: MediaTime) -> String { text(time.seconds) }
}

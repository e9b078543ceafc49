// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// A time from the start of the media: `12.5` seconds, `1:02`, `1:02:03.25`, or an exact
/// `1001/30000`.
struct TimeArgument {
    let time: MediaTime

    init(_ time: MediaTime) { self.time = time }

    /// Parses an argument.
    init(argument: String) throws {
        guard let time = Self.parse(argument), time.isNumeric else {
            throw ValidationError(
                "expected a time of at least 0, such as 12.5, 1:02:03.25 or 1001/30000")
        }
        self.time = time
    }

    private static func parse(_ text: String) -> MediaTime? {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        if halves.count == 2 {
            guard let value = number(halves[0]),
                let scale = number(halves[1]).flatMap({ Int32(exactly: $0) }), scale > 0
            else { return nil }
            return MediaTime(value: value, timescale: scale)
        }
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(fields.count), let last = fields.last, let seconds = decimal(last)
        else { return nil }
        var whole: Int64 = 0
        for field in fields.dropLast() {
            guard let number = number(field), number < 1_000_000 else { return nil }
            whole = (whole + number) * 60
        }
        return MediaTime(value: whole, timescale: 1) + seconds
    }

    /// Parses a decimal number of seconds, exactly to the nanosecond: `0.1` is 1/10 and not the
    /// nearest `Double`.
    private static func decimal(_ text: Substring) -> MediaTime? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.contains(where: { !$0.isEmpty }),
            parts.allSatisfy({ $0.isEmpty || isDigits($0) }),
            let whole = parts[0].isEmpty ? 0 : number(parts[0])
        else { return nil }
        let time = MediaTime(value: whole, timescale: 1)
        guard parts.count == 2, let fraction = number(parts[1].prefix(9)) else { return time }
        let scale = parts[1].prefix(9).reduce(into: Int32(1)) { scale, _ in scale *= 10 }
        return time + MediaTime(value: fraction, timescale: scale)
    }

    /// Parses digits without a sign; returns nil if the number does not fit into 64 bits.
    private static func number(_ text: Substring) -> Int64? {
        isDigits(text) ? Int64(text) : nil
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Playhead

/// A time as people type it: `12.5` seconds, `1:02`, `1:02:03.25`, or an exact `1001/30000`.
struct TimeArgument: ExpressibleByArgument {
    let time: MediaTime

    init(_ time: MediaTime) { self.time = time }

    init?(argument: String) {
        guard let time = Self.parse(argument), time.isNumeric else { return nil }
        self.time = time
    }

    private static func parse(_ text: String) -> MediaTime? {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        if halves.count == 2 {
            guard let value = Int64(halves[0]), let scale = Int32(halves[1]), scale > 0 else {
                return nil
            }
            return MediaTime(value: value, timescale: scale)
        }
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(fields.count), let last = fields.last,
            let seconds = decimal(String(last))
        else { return nil }
        var whole: Int64 = 0
        for field in fields.dropLast() {
            guard let number = Int64(field), number >= 0, number < 1_000_000 else { return nil }
            whole = (whole + number) * 60
        }
        return MediaTime(value: whole, timescale: 1) + seconds
    }

    /// A decimal number of seconds, exactly: `0.1` is 1/10, not the nearest `Double`.
    private static func decimal(_ text: String) -> MediaTime? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = Int64(parts[0].isEmpty ? "0" : parts[0])
        else { return nil }
        guard parts.count == 2 else { return MediaTime(value: whole, timescale: 1) }
        let digits = parts[1].prefix(9)
        guard digits.allSatisfy(\.isNumber), !(parts[0].isEmpty && digits.isEmpty) else {
            return nil
        }
        let scale = (0..<digits.count).reduce(Int64(1)) { product, _ in product * 10 }
        let fraction = MediaTime(
            value: Int64(digits) ?? 0, timescale: Int32(scale))
        let isNegative = parts[0].hasPrefix("-")
        let time = MediaTime(value: whole, timescale: 1)
        return isNegative ? time - fraction : time + fraction
    }
}

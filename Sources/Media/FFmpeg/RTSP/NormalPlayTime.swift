// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A range of times in a recording, as RTSP states it: `npt=10.5-00:01:00` (RFC 2326, section 3.6).
struct NormalPlayTime: Hashable {
    /// The limits; nil where none is stated, and for `now`.
    let (start, end): (MediaTime?, MediaTime?)

    private static let timescale: Int32 = 1_000_000
    /// The longest recording, in seconds.
    private static let limit = 1e9

    /// Parses the value of the field or attribute `Range`. Fails if it is stated in other units.
    init?(_ text: some StringProtocol) {
        let text = String(text).filter { $0 != " " }
        guard text.lowercased().hasPrefix("npt=") else { return nil }
        let limits = text.dropFirst("npt=".count).prefix { $0 != ";" }
            .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        start = Self.time(limits[0])
        end = limits.count == 2 ? Self.time(limits[1]) : nil
    }

    /// Returns the field of a request for all media from a time on, with milliseconds.
    static func field(from time: MediaTime) -> String {
        let milliseconds = max(
            0, time.converted(toTimescale: 1000, method: .roundTowardNegativeInfinity).value)
        let fraction = String(milliseconds % 1000)
        let zeros = String(repeating: "0", count: 3 - fraction.count)
        return "Range: npt=\(milliseconds / 1000).\(zeros)\(fraction)-\r\n"
    }

    /// Parses seconds, or hours, minutes and seconds.
    private static func time(_ text: Substring) -> MediaTime? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 3 else { return nil }
        var seconds = 0.0
        for part in parts {
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
                let number = Double(part)
            else { return nil }
            seconds = seconds * 60 + number
        }
        guard seconds < limit else { return nil }
        return MediaTime(seconds: seconds, preferredTimescale: timescale)
    }
}

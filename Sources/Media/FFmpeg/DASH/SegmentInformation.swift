// SPDX-License-Identifier: Apache-2.0

/// The addresses and the times of the segments of a representation.
///
/// - Concurrency: a value.
/// - Corresponds to: `SegmentBase`, `SegmentList` and `SegmentTemplate` of ISO/IEC 23009-1, 5.3.9,
///   with the values that they inherit.
struct SegmentInformation {
    /// The way in which segments are addressed.
    enum Form {
        /// One file, which may contain an index of its parts.
        case file
        /// A list of addresses.
        case list
        /// A template for addresses.
        case template
    }

    /// Segments of the same duration that follow each other.
    struct Run: Hashable {
        /// The time of the first one, in units of the timescale; nil if it follows the last run.
        var start: Int64?
        var duration: Int64
        /// The number of further segments; negative up to the next run or the end of the period.
        var repeats: Int64
    }

    /// A file or a part of it. Without an address, it is the representation's own file.
    struct Reference: Hashable {
        var address: String?
        var bytes: ByteSpan?
    }

    var form = Form.file
    /// The file of the representation, and the base of the addresses.
    var base: ReferenceBase
    var timescale: Int64 = 1
    /// The time in the media at which the period begins, in units of the timescale.
    var timeOffset: Int64 = 0
    /// The duration of all segments, in units of the timescale.
    var duration: Int64?
    var firstNumber: Int64 = 1
    var lastNumber: Int64?
    /// The template of the addresses.
    var media: String?
    var header: Reference?
    var index: ByteSpan?
    var runs: [Run]?
    var references: [Reference] = []
    /// The time from the availability of a segment to its end, in microseconds.
    var earlyAvailability: Int64 = 0

    /// Converts a time in the media to microseconds from the beginning of the period. The result
    /// is clamped to times that can be added without overflow.
    func microseconds(_ time: Int64) -> Int64 {
        let (value, limit) = (Int128(time) - Int128(timeOffset), Int128(1) << 60)
        let scaled = value * 1_000_000
        // Rounds to the nearest value, so that the sum of durations stays exact.
        let half = Int128(timescale) / 2
        let rounded = (scaled >= 0 ? scaled + half : scaled - half) / Int128(timescale)
        return Int64(min(max(rounded, -limit), limit))
    }

    /// Converts microseconds from the beginning of the period to a time in the media, rounded up.
    func mediaTime(_ microseconds: Int64) -> Int64 {
        let scaled = Int128(microseconds) * Int128(timescale)
        let (quotient, rest) = scaled.quotientAndRemainder(dividingBy: 1_000_000)
        let sum = quotient + (rest > 0 ? 1 : 0) + Int128(timeOffset)
        return Int64(min(max(sum, Int128(Int64.min)), Int128(Int64.max)))
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The relation between the times of cues in a segment and the timeline of a stream.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: RFC 8216, 3.5.
struct TextClock: Sendable, Hashable {
    /// The units of the clock of an MPEG transport stream in a second.
    static let unitsPerSecond: Int32 = 90_000
    /// The number of units after which the clock begins again.
    static let period: Int64 = 1 << 33
    /// The units of the clock in a millisecond.
    private static let unit: Int64 = 90

    /// The number of units that is added to the times of cues.
    private(set) var shift: Int64

    /// The largest time of segments, in units. Sums of times do not overflow.
    private static let largest: Int64 = 1 << 59

    /// The maximum distance of cues from their segment if the timestamps may have changed.
    private static let tolerance = 10 * Int64(unitsPerSecond)
    /// The maximum distance of cues from their segment if no relation to the clock is stated: more
    /// than the delay with which transport streams begin.
    private static let unstatedTolerance = 2 * Int64(unitsPerSecond)

    /// Finds the relation.
    ///
    /// - Parameters:
    ///   - map: The relation that the segment states; nil if it states none.
    ///   - cues: The range of the starts of the segment's cues, in milliseconds.
    ///   - segment: The time range of the segment according to its playlist.
    ///   - offset: The timestamp at the zero of the timeline.
    ///   - isContinuous: A Boolean value that indicates whether timestamps have been continuous
    ///     since the beginning.
    init(
        _ map: WebVTTFile.TimestampMap?, cues: ClosedRange<Int64>, in segment: MediaTimeRange,
        offset: MediaTime, isContinuous: Bool
    ) {
        let (start, end) = (Self.units(segment.start), Self.units(segment.end))
        let offset = Self.units(offset)
        let (first, last) = (cues.lowerBound * Self.unit, cues.upperBound * Self.unit)
        func isNear(_ shift: Int64, _ tolerance: Int64) -> Bool {
            first + shift >= start - tolerance && last + shift <= end + tolerance
        }
        // A segment has the cues that are shown in it, which may begin long before it.
        func reaches(_ shift: Int64) -> Bool {
            first + shift <= end + Self.tolerance && last + shift >= start - Self.tolerance
        }
        // Without a statement, time zero is that of the clock.
        let stated = map ?? WebVTTFile.TimestampMap()
        var shift = stated.clock - stated.local * Self.unit - offset
        let middle = first + shift + (last - first) / 2
        let distance = start + (end - start) / 2 - middle
        // The clock has begun again as often as brings the cues closest to the segment.
        let half = Self.period / 2
        let turns = (distance + (distance < 0 ? -half : half)) / Self.period
        shift += turns * Self.period
        let isCertain = map != nil && isContinuous
        let isFound = map == nil ? isNear(shift, Self.unstatedTolerance) : reaches(shift)
        guard !isCertain, !isFound else {
            self.shift = shift
            return
        }
        // The times may be those of the timeline, or count from the beginning of the segment. If
        // they do neither, the first cue begins with the segment.
        self.shift =
            [0, start].first { isNear($0, Self.unstatedTolerance) } ?? start - first
    }

    /// Returns the time range of a cue on the timeline.
    func range(start: Int64, end: Int64) -> MediaTimeRange {
        func time(_ milliseconds: Int64) -> MediaTime {
            MediaTime(value: milliseconds * Self.unit + shift, timescale: Self.unitsPerSecond)
        }
        return MediaTimeRange(start: time(start), end: time(end))
    }

    private static func units(_ time: MediaTime) -> Int64 {
        guard time.isNumeric else { return 0 }
        let units = time.converted(toTimescale: unitsPerSecond)
        return units.isNumeric ? min(max(units.value, -largest), largest) : 0
    }
}

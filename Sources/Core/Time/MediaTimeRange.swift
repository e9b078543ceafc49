// SPDX-License-Identifier: Apache-2.0

/// A stretch of time: from `start`, inclusive, for `duration`, so `end` is exclusive.
///
/// - Corresponds to: `CMTimeRange`.
public struct MediaTimeRange: Sendable, Hashable, CustomStringConvertible {
    public var start: MediaTime
    public var duration: MediaTime

    public init(start: MediaTime, duration: MediaTime) {
        self.start = start
        self.duration = duration
    }

    /// From `start` up to, and not including, `end`.
    public init(start: MediaTime, end: MediaTime) {
        self.init(start: start, duration: end - start)
    }

    public static let zero = MediaTimeRange(start: .zero, duration: .zero)
    public static let invalid = MediaTimeRange(start: .invalid, duration: .invalid)

    /// The first instant after the range.
    public var end: MediaTime { start + duration }
    /// Whether both parts are valid and the duration is not negative.
    public var isValid: Bool { start.isValid && duration.isValid && duration >= .zero }
    public var isEmpty: Bool { isValid && duration == .zero }

    public func contains(_ time: MediaTime) -> Bool {
        isValid && time.isNumeric && time >= start && time < end
    }

    /// Whether the whole of `other` lies in this range.
    public func contains(_ other: MediaTimeRange) -> Bool {
        isValid && other.isValid && other.start >= start && other.end <= end
    }

    /// What both ranges cover; an empty range at zero when they do not meet.
    public func intersection(_ other: MediaTimeRange) -> MediaTimeRange {
        guard isValid, other.isValid else { return .invalid }
        let (start, end) = (max(start, other.start), min(end, other.end))
        return end > start ? MediaTimeRange(start: start, end: end) : .zero
    }

    /// The smallest range that covers both; an empty range adds nothing.
    public func union(_ other: MediaTimeRange) -> MediaTimeRange {
        guard isValid, other.isValid else { return .invalid }
        if isEmpty { return other }
        if other.isEmpty { return self }
        return MediaTimeRange(start: min(start, other.start), end: max(end, other.end))
    }

    /// `time`, moved to the nearest time in the range; an empty or invalid range gives `start`.
    public func clamp(_ time: MediaTime) -> MediaTime {
        guard isValid, !isEmpty else { return start }
        return min(max(time, start), end)
    }

    public var description: String { "\(start) ..< \(end)" }
}

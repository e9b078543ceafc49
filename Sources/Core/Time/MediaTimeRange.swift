// SPDX-License-Identifier: Apache-2.0

/// A stretch of time: from `start`, inclusive, for `duration`, so `end` is exclusive.
///
/// A range does not span epochs: its duration has epoch 0, and two ranges combine only where both
/// start in the same epoch.
///
/// - Corresponds to: `CMTimeRange`.
public struct MediaTimeRange: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The first moment in it.
    public var start: MediaTime
    /// Its length; its end is no longer in it.
    public var duration: MediaTime

    public init(start: MediaTime, duration: MediaTime) {
        self.start = start
        self.duration = duration
    }

    /// From `start` up to, and not including, `end`. From −∞ up to anything but +∞ is `invalid`: no
    /// duration says where it ends.
    ///
    /// - Corresponds to: `CMTimeRangeFromTimeToTime`.
    public init(start: MediaTime, end: MediaTime) {
        guard !start.isNegativeInfinity || end.isPositiveInfinity else {
            self = .invalid
            return
        }
        self.init(start: start, duration: end - start)
    }

    /// Empty, at the beginning. Corresponds to `CMTimeRange.zero`.
    public static let zero = MediaTimeRange(start: .zero, duration: .zero)
    /// No range. Corresponds to `CMTimeRange.invalid`.
    public static let invalid = MediaTimeRange(start: .invalid, duration: .invalid)
    /// From −∞ to +∞.
    public static let all = MediaTimeRange(start: .negativeInfinity, duration: .positiveInfinity)

    /// The first instant after the range.
    public var end: MediaTime {
        if start.isNegativeInfinity, duration.isPositiveInfinity { return .positiveInfinity }
        return start + duration
    }

    /// Whether both parts are valid, and the duration is not negative and of epoch 0.
    public var isValid: Bool {
        start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero
    }
    /// Whether the range is valid, and where it begins or ends is not known.
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
    /// Whether the range is valid and contains nothing.
    public var isEmpty: Bool { isValid && duration == .zero }

    /// Whether `time`, a number, lies in the range. `end` does not.
    public func contains(_ time: MediaTime) -> Bool {
        isValid && time.isNumeric && time >= start && time < end
    }

    /// Whether the whole of `other` lies in this range.
    public func contains(_ other: MediaTimeRange) -> Bool {
        isValid && other.isValid && other.start >= start && other.end <= end
    }

    /// What both ranges cover; an empty range at zero when they do not meet, and `invalid` when
    /// they start in different epochs.
    public func intersection(_ other: MediaTimeRange) -> MediaTimeRange {
        guard isComparable(to: other) else { return .invalid }
        let (start, end) = (max(start, other.start), min(end, other.end))
        return end > start ? MediaTimeRange(start: start, end: end) : .zero
    }

    /// The smallest range that covers both; an empty range adds nothing. `invalid` when they start
    /// in different epochs.
    public func union(_ other: MediaTimeRange) -> MediaTimeRange {
        guard isComparable(to: other) else { return .invalid }
        if isEmpty { return other }
        if other.isEmpty { return self }
        return MediaTimeRange(start: min(start, other.start), end: max(end, other.end))
    }

    private func isComparable(to other: MediaTimeRange) -> Bool {
        guard isValid, other.isValid else { return false }
        return start.epoch == other.start.epoch || !start.isNumeric || !other.start.isNumeric
    }

    public var description: String { "\(start) ..< \(end)" }
}

// SPDX-License-Identifier: Apache-2.0

/// A range of time that includes its start and excludes its end.
///
/// A range does not span epochs: its duration has epoch 0, and two ranges combine only if both
/// start in the same epoch.
///
/// - Corresponds to: `CMTimeRange`.
public struct MediaTimeRange: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The first moment of the range.
    public var start: MediaTime
    /// The length of the range.
    public var duration: MediaTime

    /// Creates a range from its start and its length.
    public init(start: MediaTime, duration: MediaTime) {
        self.start = start
        self.duration = duration
    }

    /// Creates a range from `start` up to, but not including, `end`. A range from −∞ to any time
    /// except +∞ is `invalid`, because no duration expresses its end.
    ///
    /// - Corresponds to: `CMTimeRangeFromTimeToTime`.
    public init(start: MediaTime, end: MediaTime) {
        guard !start.isNegativeInfinity || end.isPositiveInfinity else {
            self = .invalid
            return
        }
        self.init(start: start, duration: end - start)
    }

    /// An empty range at zero. Corresponds to `CMTimeRange.zero`.
    public static let zero = MediaTimeRange(start: .zero, duration: .zero)
    /// A value that is not a range. Corresponds to `CMTimeRange.invalid`.
    public static let invalid = MediaTimeRange(start: .invalid, duration: .invalid)
    /// The range from −∞ to +∞.
    public static let all = MediaTimeRange(start: .negativeInfinity, duration: .positiveInfinity)

    /// The first moment after the range.
    public var end: MediaTime {
        if start.isNegativeInfinity, duration.isPositiveInfinity { return .positiveInfinity }
        return start + duration
    }

    /// A Boolean value that indicates whether the start and the duration are valid, and the
    /// duration is not negative and has epoch 0.
    public var isValid: Bool {
        start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero
    }
    /// A Boolean value that indicates whether the range is valid and its start or end is unknown.
    package var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
    /// A Boolean value that indicates whether the range is valid and its duration is zero.
    public var isEmpty: Bool { isValid && duration == .zero }

    /// Returns whether `time` is a number in the range. The end is not in the range.
    public func contains(_ time: MediaTime) -> Bool {
        isValid && time.isNumeric && time >= start && time < end
    }

    /// Returns whether `other` is entirely in this range.
    public func contains(_ other: MediaTimeRange) -> Bool {
        isValid && other.isValid && other.start >= start && other.end <= end
    }

    /// Returns the common part of both ranges. Returns an empty range at zero if they do not
    /// overlap, and `invalid` if they start in different epochs.
    public func intersection(_ other: MediaTimeRange) -> MediaTimeRange {
        guard isComparable(to: other) else { return .invalid }
        let (start, end) = (max(start, other.start), min(end, other.end))
        return end > start ? MediaTimeRange(start: start, end: end) : .zero
    }

    /// Returns the smallest range that covers both ranges. An empty range is ignored. Returns
    /// `invalid` if the ranges start in different epochs.
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

    /// The start and the end.
    public var description: String { "\(start) ..< \(end)" }
}

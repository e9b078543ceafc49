// SPDX-License-Identifier: Apache-2.0

/// An edit: a mapping from a range of one timeline, the source, to a range of another, the target.
///
/// If the durations differ, the source plays at `rate` to fit the target. An empty edit has no
/// source: nothing plays during its target range.
///
/// - Corresponds to: `CMTimeMapping`.
public struct MediaTimeMapping: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The source: a range of the media's timeline. If the edit is empty, the start is `invalid`.
    public var source: MediaTimeRange
    /// The target: a range of the track's timeline.
    public var target: MediaTimeRange

    /// Creates a mapping from a source range to a target range.
    public init(source: MediaTimeRange, target: MediaTimeRange) {
        self.source = source
        self.target = target
    }

    /// A mapping that maps nothing. Corresponds to `CMTimeMapping.invalid`.
    public static let invalid = MediaTimeMapping(source: .invalid, target: .invalid)

    /// Returns an edit that leaves `target` empty.
    ///
    /// - Corresponds to: `CMTimeMappingMakeEmpty`.
    public static func empty(target: MediaTimeRange) -> MediaTimeMapping {
        MediaTimeMapping(source: .invalid, target: target)
    }

    /// A Boolean value that indicates whether the target is valid. If the target is valid and the
    /// source is not, the edit is empty.
    public var isValid: Bool { target.isValid }
    /// A Boolean value that indicates whether this is a valid edit without a source.
    public var isEmpty: Bool { isValid && !source.start.isNumeric }

    /// The playback rate of the source, in seconds of the source per second of the target: 2 is
    /// double speed. The rate is 0 for an empty edit and for an edit whose source is a single
    /// moment, and NaN if the edit is not valid.
    public var rate: Double {
        guard isValid else { return .nan }
        if isEmpty { return 0 }
        return source.isValid ? source.duration.seconds / target.duration.seconds : .nan
    }

    /// Returns the source time that plays at `time` of the target. Returns `invalid` if the time is
    /// outside the target or the edit is empty.
    public func sourceTime(atTargetTime time: MediaTime) -> MediaTime {
        guard !isEmpty, target.contains(time) else { return .invalid }
        return source.isEmpty ? source.start : time.mapped(from: target, to: source)
    }

    /// Returns the target time at which `time` of the source plays. Returns `invalid` if the time
    /// is outside the source or the edit is empty.
    public func targetTime(atSourceTime time: MediaTime) -> MediaTime {
        guard !isEmpty, source.contains(time) else { return .invalid }
        return time.mapped(from: source, to: target)
    }

    /// The source and the target, with `nothing` as the source of an empty edit.
    public var description: String { isEmpty ? "nothing -> \(target)" : "\(source) -> \(target)" }
}

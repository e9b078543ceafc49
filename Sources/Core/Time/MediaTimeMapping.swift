// SPDX-License-Identifier: Apache-2.0

/// A mapping from a range of one timeline, the source, to a range of another, the target: an edit.
///
/// If the durations differ, the source plays at `rate` to fit. An empty edit has no source: nothing
/// plays during its target range.
///
/// - Corresponds to: `CMTimeMapping`.
public struct MediaTimeMapping: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The range of the media's timeline; its start is `invalid` in an empty edit.
    public var source: MediaTimeRange
    /// The range of the track's timeline.
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

    /// A Boolean value that indicates whether the target is valid. With an invalid source the edit
    /// is empty.
    public var isValid: Bool { target.isValid }
    /// A Boolean value that indicates whether this is a valid edit without a source.
    public var isEmpty: Bool { isValid && !source.start.isNumeric }

    /// The number of seconds of the source per second of the target: 2 if the source plays at
    /// double speed. 0 for an empty edit and one that holds a single moment; NaN if undefined.
    public var rate: Double {
        guard isValid else { return .nan }
        if isEmpty { return 0 }
        return source.isValid ? source.duration.seconds / target.duration.seconds : .nan
    }

    /// Returns the source time that plays at `time` of the target; `invalid` outside the target and
    /// in an empty edit.
    public func sourceTime(atTargetTime time: MediaTime) -> MediaTime {
        guard !isEmpty, target.contains(time) else { return .invalid }
        return source.isEmpty ? source.start : time.mapped(from: target, to: source)
    }

    /// Returns the target time at which `time` of the source plays; `invalid` outside the source
    /// and in an empty edit.
    public func targetTime(atSourceTime time: MediaTime) -> MediaTime {
        guard !isEmpty, source.contains(time) else { return .invalid }
        return time.mapped(from: source, to: target)
    }

    /// Both ranges; `nothing` for the source of an empty edit.
    public var description: String { isEmpty ? "nothing -> \(target)" : "\(source) -> \(target)" }
}

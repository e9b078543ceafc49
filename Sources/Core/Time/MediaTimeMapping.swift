// SPDX-License-Identifier: Apache-2.0

/// A stretch of one timeline, the source, laid over a stretch of another, the target: an edit.
///
/// Where the durations differ the source plays at `rate` to fit. An empty edit has no source: while
/// it lasts there is nothing to play.
///
/// - Corresponds to: `CMTimeMapping`.
public struct MediaTimeMapping: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What is taken, on the timeline of the media; its start is `invalid` in an empty edit.
    public var source: MediaTimeRange
    /// Where it goes, on the timeline of the track.
    public var target: MediaTimeRange

    public init(source: MediaTimeRange, target: MediaTimeRange) {
        self.source = source
        self.target = target
    }

    /// Maps nothing. Corresponds to `CMTimeMapping.invalid`.
    public static let invalid = MediaTimeMapping(source: .invalid, target: .invalid)

    /// An edit that leaves `target` empty.
    ///
    /// - Corresponds to: `CMTimeMappingMakeEmpty`.
    public static func empty(target: MediaTimeRange) -> MediaTimeMapping {
        MediaTimeMapping(source: .invalid, target: target)
    }

    /// Whether it leads anywhere; a source that is invalid makes it an empty edit.
    public var isValid: Bool { target.isValid }
    /// Whether this is a valid edit without a source.
    public var isEmpty: Bool { isValid && !source.start.isNumeric }

    /// Seconds of the source for each second of the target: 2 where the source plays at double
    /// speed. 0 in an empty edit and in one that holds a single moment; NaN where it has no
    /// meaning.
    public var rate: Double {
        guard isValid else { return .nan }
        if isEmpty { return 0 }
        return source.isValid ? source.duration.seconds / target.duration.seconds : .nan
    }

    /// What of the source is due at `time` of the target; `invalid` outside the target and in an
    /// empty edit.
    public func sourceTime(atTargetTime time: MediaTime) -> MediaTime {
        guard !isEmpty, target.contains(time) else { return .invalid }
        return source.isEmpty ? source.start : time.mapped(from: target, to: source)
    }

    /// When, on the target, `time` of the source is due; `invalid` outside the source and in an
    /// empty edit.
    public func targetTime(atSourceTime time: MediaTime) -> MediaTime {
        guard !isEmpty, source.contains(time) else { return .invalid }
        return time.mapped(from: source, to: target)
    }

    public var description: String { isEmpty ? "nothing -> \(target)" : "\(source) -> \(target)" }
}

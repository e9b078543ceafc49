// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

/// The reason why a composition refused an edit. The composition is unchanged.
///
/// - Corresponds to: `AVError` with the codes from `invalidCompositionTrackSegmentDuration` to
///   `invalidCompositionTrackSegmentSourceDuration`, `compositionTrackSegmentsNotContiguous`,
///   `operationNotSupportedForAsset` and `contentIsProtected`.
public struct CompositionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for use by programs.
    public enum Code: Sendable, Hashable {
        /// A time is not a number, is negative, or has an epoch.
        case invalidTime
        /// A duration is not a number, is negative, or is 0 where it must be positive.
        case invalidDuration
        /// A segment does not begin where the one before it ends, or the first segment does not
        /// begin at 0.
        case segmentsNotContiguous
        /// The start of a segment's source is not a time.
        case invalidSourceStart
        /// A source range extends beyond the media or is outside of it.
        case sourceRangeOutsideMedia
        /// The media type of a source is not that of the track, or cannot be part of a composition.
        case incompatibleMedia
        /// The source is encrypted.
        case protectedMedia
        /// The composition does not have the track, or no longer has it.
        case noSuchTrack
        /// The asset has no track of a type that a composition can contain.
        case noUsableTracks
        /// A resulting time cannot be expressed as a `MediaTime` without rounding.
        case notExact
        /// A source cannot be opened.
        case cannotLoad(MediaError)
    }

    /// The kind of failure. Base decisions on this property.
    public var code: Code
    /// The name of the track or source.
    public var subject: String
    /// The problem, as a clause without a full stop.
    public var cause: String
    /// The remedy, as a clause without a full stop; empty if nothing can be done.
    public var remedy: String
    /// The ID of the composition's track; nil if the problem does not concern a track.
    public var trackID: Int?
    /// The index of the segment in the list that was set; nil if no list was set.
    public var segmentIndex: Int?
    /// The time of the problem; `invalid` if the problem does not concern a time.
    public var time: MediaTime

    package init(
        _ code: Code, subject: String = "", cause: String, remedy: String = "",
        trackID: Int? = nil, segmentIndex: Int? = nil, time: MediaTime = .invalid
    ) {
        self.code = code
        self.subject = subject
        self.cause = cause
        self.remedy = remedy
        self.trackID = trackID
        self.segmentIndex = segmentIndex
        self.time = time
    }

    /// One line with the track, the segment, the subject, the cause and the remedy.
    public var description: String {
        var places: [String] = []
        if let trackID { places.append("track \(trackID)") }
        if let segmentIndex { places.append("segment \(segmentIndex)") }
        if !subject.isEmpty { places.append(subject) }
        let line = places.isEmpty ? cause : "\(places.joined(separator: ", ")): \(cause)"
        return remedy.isEmpty ? line : "\(line); \(remedy)"
    }

    /// Returns the error with the ID of the composition's track, unless the error already has a
    /// track ID.
    func inTrack(_ trackID: Int) -> CompositionError {
        var error = self
        error.trackID = error.trackID ?? trackID
        return error
    }
}

extension CompositionError {
    static func notExact(at time: MediaTime) -> CompositionError {
        CompositionError(
            .notExact, cause: "the edit produces a time near \(time) that needs rounding",
            remedy: "use times in the timescale of the media, or another duration",
            time: time)
    }

    static func negativeTime(_ time: MediaTime) -> CompositionError {
        CompositionError(
            .invalidTime, cause: "the time \(time) is negative or not a number",
            remedy: "use a time within the composition", time: time)
    }

    static func badDuration(_ range: MediaTimeRange) -> CompositionError {
        CompositionError(
            .invalidDuration, cause: "the duration \(range.duration) is not a positive number",
            remedy: "use a range that ends after it starts", time: range.start)
    }

    static func removedTrack(_ trackID: Int) -> CompositionError {
        CompositionError(
            .noSuchTrack, cause: "the composition does not have this track",
            remedy: "use a track of this composition that has not been removed", trackID: trackID)
    }
}

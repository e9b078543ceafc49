// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A clip of a timeline: a part of a media file at a place.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: OpenTimelineIO's `Clip`.
public struct TimelineClip: Sendable {
    /// The name that the file gives; empty if it gives none.
    public var name: String
    /// The time on the timeline.
    public var timeRange: MediaTimeRange
    /// The media that is played.
    public var media: TimelineMedia
    /// The part of the media, by the media's own clock: a file that was recorded at 01:00:00:00
    /// begins at 3,600 s. If its duration differs from that of `timeRange`, the media plays faster
    /// or slower. If it is 0, one frame stands still.
    public var mediaTimeRange: MediaTimeRange
    /// The times at which the media has samples, by the same clock; nil if the file does not say.
    public var availableTimeRange: MediaTimeRange?
    /// The duration of a frame at the clip's rate.
    public var frameDuration: MediaTime
    /// The track and the name, for messages.
    var place: String
}

// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A clip of a timeline: a part of a media file at a position on the timeline.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: OpenTimelineIO's `Clip`.
public struct TimelineClip: Sendable {
    /// The name that the file states; empty if it states no name.
    public var name: String
    /// The time range on the timeline.
    public var timeRange: MediaTimeRange
    /// The media that is played.
    public var media: TimelineMedia
    /// The part of the media that is played, by the media's own clock: a file that was recorded at
    /// 01:00:00:00 begins at 3,600 s. If the duration differs from that of `timeRange`, the media
    /// plays faster or slower. If the duration is 0, a single frame is shown.
    public var mediaTimeRange: MediaTimeRange
    /// The time range in which the media has samples, by the media's own clock; nil if the file
    /// does not state it.
    public var availableTimeRange: MediaTimeRange?
    /// The duration of a frame at the clip's rate.
    public var frameDuration: MediaTime
    /// The names of the track and the clip, for messages.
    var place: String
}

// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

/// A track of a timeline: clips that do not overlap, in the order of their times.
///
/// - Concurrency: a value; any thread.
public struct TimelineTrack: Sendable {
    /// The name that the file states; empty if it states no name, or if several tracks were
    /// combined.
    public var name: String
    /// The type of the media: `video` or `audio`.
    public var mediaType: MediaType
    /// The duration, including the gap after the last clip.
    public var duration: MediaTime
    /// The clips. Nothing plays between them.
    public var clips: [TimelineClip]
    /// The transitions, in the order of their times. They do not change the positions of clips.
    public var transitions: [TimelineTransition]
}

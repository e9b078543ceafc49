// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A transition from one clip to the next. `Timeline.makeComposition` converts a transition of
/// video to a transition of a video composition, and a transition of audio to a crossfade.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: OpenTimelineIO's `Transition`.
public struct TimelineTransition: Sendable {
    /// The name that the file states; empty if it states no name.
    public var name: String
    /// The kind of transition, such as `SMPTE_Dissolve`.
    public var kind: String
    /// The time range on the timeline in which both clips are shown or heard. Up to the cut, the
    /// later clip needs media from before its first frame; after the cut, the earlier clip needs
    /// media from after its last frame.
    public var timeRange: MediaTimeRange
    /// The time of the cut.
    public var cutTime: MediaTime
}

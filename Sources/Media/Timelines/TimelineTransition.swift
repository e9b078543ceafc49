// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A transition from one clip to the next. Compositions cut instead.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: OpenTimelineIO's `Transition`.
public struct TimelineTransition: Sendable {
    /// The name that the file gives; empty if it gives none.
    public var name: String
    /// The kind, such as `SMPTE_Dissolve`.
    public var kind: String
    /// The time on the timeline at which both clips are seen or heard. The later clip needs media
    /// from before its first frame up to the cut, the earlier one from the cut on.
    public var timeRange: MediaTimeRange
    /// The time of the cut.
    public var cutTime: MediaTime
}

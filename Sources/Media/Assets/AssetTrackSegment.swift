// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// An entry of an edit list: a range of a track's timeline, and the range of the media that is
/// shown during it.
///
/// Demuxers apply edit lists themselves. A segment records the edit that was applied.
///
/// - Corresponds to: `AVAssetTrackSegment`; an entry of MP4's `elst` box (ISO/IEC 14496-12, 8.6.6).
public struct AssetTrackSegment: Sendable, Hashable {
    /// The mapping of the edit. Its source is a range of the media, before the edit. Its target is
    /// a range of the track.
    public var timeMapping: MediaTimeMapping

    package init(timeMapping: MediaTimeMapping) { self.timeMapping = timeMapping }

    /// A Boolean value that indicates whether nothing is shown during the segment.
    public var isEmpty: Bool { timeMapping.isEmpty }
}

// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A range of a track's timeline and the range of its media that is shown there: an entry of an
/// edit list.
///
/// Demuxers apply edit lists themselves; a segment records the edit that was applied.
///
/// - Corresponds to: `AVAssetTrackSegment`; an entry of MP4's `elst` box (ISO/IEC 14496-12, 8.6.6).
public struct AssetTrackSegment: Sendable, Hashable {
    /// Source: times of the media, before the edit. Target: times of the track.
    public var timeMapping: MediaTimeMapping

    package init(timeMapping: MediaTimeMapping) { self.timeMapping = timeMapping }

    /// A Boolean value that indicates whether nothing is shown.
    public var isEmpty: Bool { timeMapping.isEmpty }
}

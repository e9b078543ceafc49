// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A stretch of a track's timeline and what of its media is shown there: one line of an edit list.
///
/// Demuxers apply edit lists themselves; this tells what they have done.
///
/// - Corresponds to: `AVAssetTrackSegment`; an entry of MP4's `elst` box (ISO/IEC 14496-12, 8.6.6).
public struct AssetTrackSegment: Sendable, Hashable {
    /// Source: times of the media, before the edit. Target: times of the track.
    public var timeMapping: MediaTimeMapping

    package init(timeMapping: MediaTimeMapping) { self.timeMapping = timeMapping }

    /// Whether nothing is shown.
    public var isEmpty: Bool { timeMapping.isEmpty }
}

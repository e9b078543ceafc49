// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A part of a stream in fragmented MP4, for HTTP Live Streaming.
///
/// - Corresponds to: the segment data and the `AVAssetSegmentReport` of an `AVAssetWriterDelegate`.
public struct AssetWriterSegment: Sendable {
    /// The purpose of a segment.
    public enum Kind: Sendable, Hashable {
        /// The description of the tracks, which players load before the other segments. A playlist
        /// refers to it with `EXT-X-MAP`.
        case initialization
        /// A part of the samples. Its video, if any, begins with a keyframe.
        case separable
    }

    /// The purpose of the segment.
    public let kind: Kind
    /// The bytes of the segment.
    public let data: [UInt8]
    /// The time range of the segment's video, or of its audio if there is no video, relative to the
    /// start of the session; empty for an initialization segment.
    public let timeRange: MediaTimeRange
}

// SPDX-License-Identifier: Apache-2.0

/// Which of the variants of an HLS multivariant playlist is played: the one of the highest bit rate
/// that passes no cap, or, where all do, the lowest of all. Chosen when the asset is opened, and
/// again while it is read: at a keyframe another variant goes on where the one before ends, as long
/// as it has the same tracks in the same codecs.
///
/// - Corresponds to: `AVPlayerItem.preferredPeakBitRate`, `preferredMaximumResolution`.
public struct VariantPreference: Sendable, Hashable {
    /// Bits a second that a variant may take at its peak, its `BANDWIDTH`; 0 for any.
    public var peakBitRate: Int
    /// Pixels in its pictures, in width and height; 0 for any.
    public var maximumWidth: Int
    /// Likewise, in rows.
    public var maximumHeight: Int

    /// A Boolean value that indicates whether the network's throughput caps the bit rate too. If
    /// several variants pass the other caps, the beginning of the lowest is fetched and timed
    /// first, for a second at most; from then on the throughput is measured on what is read anyway.
    /// Has no effect for files.
    public var followsThroughput: Bool

    /// Creates a preference; zero leaves a value unlimited.
    public init(
        peakBitRate: Int = 0, maximumWidth: Int = 0, maximumHeight: Int = 0,
        followsThroughput: Bool = true
    ) {
        self.followsThroughput = followsThroughput
        self.peakBitRate = peakBitRate
        self.maximumWidth = maximumWidth
        self.maximumHeight = maximumHeight
    }
}

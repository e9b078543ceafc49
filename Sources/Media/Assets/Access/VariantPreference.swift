// SPDX-License-Identifier: Apache-2.0

/// The preference that selects a variant of an HLS multivariant playlist: the one with the highest
/// bit rate within the limits, or the lowest one if all exceed them. It is selected when the asset
/// is opened, and again while it is read: at a keyframe, another variant continues if it has the
/// same tracks in the same codecs.
///
/// - Corresponds to: `AVPlayerItem.preferredPeakBitRate`, `preferredMaximumResolution`.
public struct VariantPreference: Sendable, Hashable {
    /// The maximum peak bit rate of a variant (its `BANDWIDTH`), in bits per second; 0 for no
    /// limit.
    public var peakBitRate: Int
    /// The maximum width of a variant's frames, in pixels; 0 for no limit.
    public var maximumWidth: Int
    /// The maximum height of a variant's frames, in pixels; 0 for no limit.
    public var maximumHeight: Int

    /// A Boolean value that indicates whether the network's throughput limits the bit rate too. If
    /// several variants are within the other limits, the beginning of the lowest is downloaded
    /// first to measure the throughput, for a second at most. From then on, it is measured while
    /// the media is read. Has no effect for files.
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

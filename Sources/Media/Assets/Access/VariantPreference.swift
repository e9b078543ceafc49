// SPDX-License-Identifier: Apache-2.0

/// The preference that selects a variant of an HLS or DASH stream. The selected variant is the one
/// with the highest bit rate within the limits, or the one with the lowest bit rate if all variants
/// exceed the limits.
///
/// The variant is selected when the asset is opened, and again while the asset is read: at a
/// keyframe, another variant can take over if it has the same tracks in the same codecs.
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

    /// A Boolean value that indicates whether the network's throughput also limits the bit rate. If
    /// several variants are within the other limits, the beginning of the lowest variant is
    /// downloaded first, for at most a second, to measure the throughput. After that, the
    /// throughput is measured while the media is read. The property has no effect on files.
    public var followsThroughput: Bool

    /// Creates a preference. A value of zero means no limit.
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

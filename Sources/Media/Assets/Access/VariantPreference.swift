// SPDX-License-Identifier: Apache-2.0

/// Which of the variants of an HLS multivariant playlist is played: the one of the highest bit rate
/// that passes no cap, or, where all do, the lowest of all.
///
/// - Corresponds to: `AVPlayerItem.preferredPeakBitRate`, `preferredMaximumResolution`.
public struct VariantPreference: Sendable, Hashable {
    /// Bits a second that a variant may take at its peak, its `BANDWIDTH`; 0 for any.
    public var peakBitRate: Int
    /// Pixels in its pictures, in width and height; 0 for any.
    public var maximumWidth: Int
    public var maximumHeight: Int

    public init(peakBitRate: Int = 0, maximumWidth: Int = 0, maximumHeight: Int = 0) {
        self.peakBitRate = peakBitRate
        self.maximumWidth = maximumWidth
        self.maximumHeight = maximumHeight
    }
}

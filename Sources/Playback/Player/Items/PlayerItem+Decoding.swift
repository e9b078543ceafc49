// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
package import PlayheadBuffers
import PlayheadThreads

/// What of the item is read, and how it is decoded.
extension PlayerItem {
    /// Where the memory comes from that pictures are decoded into: a renderer's pool spares copying
    /// them to it. Counts from the next picture on, so it may be set, and taken away, while the item
    /// plays. Plain memory where it is nil, while it has none to give, and for what is kept to be
    /// played backwards.
    package var pixelBufferPool: (any PixelBufferPool)? {
        get { pipeline.pixelBufferPool.pool }
        set { pipeline.pixelBufferPool.pool = newValue }
    }

    /// What decodes the pictures; nil before the item is ready, and without any. Where hardware was
    /// asked for (`AssetOptions.hardwareAcceleration`), it is known for certain with the first picture.
    package var videoDecodingMethod: VideoDecodingMethod? {
        pipeline.control.withLock { $0.videoDecoder }?.method
    }

    /// Sets which variant of an HLS stream plays, from the next keyframe that is read on: caps that
    /// change with the size of a window, for instance. Until then it is as the asset was opened.
    ///
    /// - Corresponds to: `AVPlayerItem.preferredPeakBitRate`, `preferredMaximumResolution`.
    public func preferVariants(_ preference: VariantPreference) {
        pipeline.control.withLock { control in
            control.variantPreference = preference
            control.variants = preference
        }
    }
}

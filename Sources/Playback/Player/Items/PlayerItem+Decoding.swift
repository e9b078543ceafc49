// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
package import PlayheadBuffers
import PlayheadThreads

/// The reading and decoding of an item.
extension PlayerItem {
    /// The pool of memory for decoded frames: a renderer's pool avoids copies to it. It applies
    /// from the next frame on, so it may be set and removed during playback. Plain memory is used
    /// if it is nil, if it has none available, and for frames that are kept to be played backwards.
    package var pixelBufferPool: (any PixelBufferPool)? {
        get { pipeline.pixelBufferPool.pool }
        set { pipeline.pixelBufferPool.pool = newValue }
    }

    /// The decoder of the frames; nil before the item is ready, and without video. If hardware was
    /// requested (`AssetOptions.hardwareAcceleration`), it is certain from the first frame on.
    package var videoDecodingMethod: VideoDecodingMethod? {
        pipeline.control.withLock { $0.videoDecoder }?.method
    }

    /// Sets the preferred variant of an HLS stream, from the next keyframe on: limits that change
    /// with the size of a window, for instance. Until then the asset's options apply.
    ///
    /// - Corresponds to: `AVPlayerItem.preferredPeakBitRate`, `preferredMaximumResolution`.
    public func preferVariants(_ preference: VariantPreference) {
        pipeline.control.withLock { control in
            control.variantPreference = preference
            control.variants = preference
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
package import PlayheadBuffers
import PlayheadThreads

/// The reading and decoding of an item.
extension PlayerItem {
    /// The pool of memory for decoded frames. A pool that a renderer provides avoids copies. A new
    /// pool applies from the next frame on, so the pool can be set and removed during playback.
    /// Plain memory is used if the pool is nil or has no memory available, and for frames that are
    /// kept for reverse playback.
    package var pixelBufferPool: (any PixelBufferPool)? {
        get { pipeline.pixelBufferPool.pool }
        set { pipeline.pixelBufferPool.pool = newValue }
    }

    /// The decoder of the video; nil without video, and before the item is ready. If hardware
    /// decoding was requested (`AssetOptions.hardwareAcceleration`), the value is final from the
    /// first frame on.
    package var videoDecodingMethod: VideoDecodingMethod? {
        pipeline.control.withLock { $0.videoDecoder }?.method
    }

    /// Sets the preferred variant of an HLS or DASH stream, for example to limits that change with
    /// the size of a window. It applies from the next keyframe on. Until then, the asset's options
    /// apply.
    ///
    /// - Corresponds to: `AVPlayerItem.preferredPeakBitRate`, `preferredMaximumResolution`.
    public func preferVariants(_ preference: VariantPreference) {
        pipeline.control.withLock { control in
            control.variantPreference = preference
            control.variants = preference
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// A decoded frame, which owns the memory of this module's `PixelBuffer`s.
///
/// - Ownership: when released, it returns the frame's buffers to the decoder's pool.
/// - Corresponds to: `AVFrame`.
final class FrameBox: @unchecked Sendable {
    // Unchecked: the decoder fills the frame before the box is shared, and it is not written
    // afterwards.
    let pointer: UnsafeMutablePointer<AVFrame>

    /// Creates an empty frame. Returns nil if there is not enough memory.
    init?() {
        guard let frame = av_frame_alloc() else { return nil }
        pointer = frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&frame)
    }
}

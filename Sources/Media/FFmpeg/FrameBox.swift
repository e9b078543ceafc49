// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// A decoded frame of FFmpeg. `PixelBuffer`s of this module refer to its memory.
///
/// - Ownership: on deallocation, the frame's buffers return to the decoder's pool.
/// - Corresponds to: `AVFrame`.
final class FrameBox: @unchecked Sendable {
    // Unchecked: the decoder fills the frame before the box is shared, and it is not written
    // afterwards.
    let pointer: UnsafeMutablePointer<AVFrame>

    /// Creates an empty frame. Fails if there is not enough memory.
    init?() {
        guard let frame = av_frame_alloc() else { return nil }
        pointer = frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&frame)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// One decoded frame: the owner of the memory behind this module's `PixelBuffer`s.
///
/// - Ownership: releasing it hands the frame's buffers back to the decoder's pool.
/// - Corresponds to: `AVFrame`.
final class FrameBox: @unchecked Sendable {
    // Unchecked: the frame is filled by the decoder before the box is shared, and not written
    // after.
    let pointer: UnsafeMutablePointer<AVFrame>

    /// An empty frame; nil when memory is short.
    init?() {
        guard let frame = av_frame_alloc() else { return nil }
        pointer = frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&frame)
    }
}

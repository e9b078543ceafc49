// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadLayers
import PlayheadPlayback

/// A policy that repeats the previous frame if converting the current frame would block the host's
/// loop.
///
/// On software OpenGL, frames are converted ahead of time. This is not possible for the first frame
/// after a seek, or for the first frame of a loop's iteration. On a busy machine, other frames may
/// not be ready either. The library's thread converts such a frame, and one of the next calls draws
/// it.
///
/// - Concurrency: render thread.
struct LateFramePolicy {
    /// The number of consecutive calls that may repeat the previous frame: 28 ms at 144 Hz. After
    /// that, the frame is converted within the call, because a busy machine might otherwise never
    /// show it.
    private static let limit = 4

    private var count = 0

    mutating func keeps(_ source: DrawSource, by renderer: VideoRenderer) -> Bool {
        guard source.isVisible, source.isRunning, count < Self.limit, let output = source.output,
            let preview = source.preview
        else {
            count = 0
            return false
        }
        let itemTime = output.itemTime(forHostTime: source.hostTime)
        guard output.hasNewPixelBuffer(forItemTime: itemTime),
            let (due, _) = preview.copyPixelBuffer(forItemTime: itemTime), !renderer.isReady(due)
        else {
            count = 0
            return false
        }
        count += 1
        return true
    }
}

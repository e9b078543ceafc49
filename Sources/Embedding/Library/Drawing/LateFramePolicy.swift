// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadLayers
import PlayheadPlayback

/// Whether a call leaves the picture that is shown where it is, since converting the one that is due would
/// take longer than a host's loop has for it.
///
/// Pictures are converted ahead where the processor does that, but the first one of a round of a loop, or
/// after a seek, cannot be; and on a busy machine others are not in time. Such a picture is converted on
/// the library's own thread, and drawn by one of the next calls.
///
/// - Concurrency: render thread.
struct LateFramePolicy {
    /// Calls in a row that may leave a picture out: 28 ms at 144 Hz. After them it is converted within
    /// the call: on a machine that is so busy it would not be seen at all otherwise.
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

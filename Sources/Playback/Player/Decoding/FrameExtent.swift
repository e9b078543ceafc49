// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The times at which a video track shows something.
enum FrameExtent: Sendable {
    /// Any time. The first frame is also shown before it begins, and the last frame also after it
    /// has ended.
    case unlimited
    /// The times from the beginning of the first frame on. If the first frame begins at the given
    /// time or earlier, it is also shown before its beginning, because encoders may begin slightly
    /// late.
    case start(by: MediaTime)
    /// The times that the frames declare. In a gap between two frames, nothing is shown, as in a
    /// composition.
    case frames

    /// Returns whether `frame` is shown at `time`. Pass the frame that is nearest to `time`.
    func shows(_ frame: VideoFrame, at time: MediaTime) -> Bool {
        let now = time + VideoFrame.timeTolerance
        switch self {
        case .unlimited: return true
        case .start(let limit):
            return frame.presentationTime <= now || frame.presentationTime <= limit
        case .frames:
            let end = frame.presentationTime + frame.duration
            return frame.presentationTime <= now && (!end.isNumeric || now < end)
        }
    }
}

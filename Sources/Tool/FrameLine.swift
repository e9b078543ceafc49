// SPDX-License-Identifier: Apache-2.0

import Playhead

/// What `frames` prints of a frame. The keys are a contract.
struct FrameLine: Encodable {
    var index: Int
    /// Presentation time in seconds, as the file gives it, and the same as `value/timescale`.
    var pts: Double
    var ptsExact: String
    /// In seconds; nil where the file does not say.
    var duration: Double?
    var keyframe: Bool
    /// Of the picture, rendered to RGBA at the film's own size; nil unless asked for.
    var sha256: String?

    init(index: Int, frame: VideoFrame, offset: MediaTime, sha256: String?) {
        let time = frame.presentationTime + offset
        self.index = index
        pts = time.seconds
        ptsExact = "\(time.value)/\(time.timescale)"
        duration = frame.duration.isNumeric ? frame.duration.seconds : nil
        keyframe = frame.isKeyframe
        self.sha256 = sha256
    }

    private enum CodingKeys: String, CodingKey {
        case index, pts, duration, keyframe, sha256
        case ptsExact = "pts_exact"
    }
}

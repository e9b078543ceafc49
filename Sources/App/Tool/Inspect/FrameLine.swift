// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// What `frames` prints of a frame. The keys are a contract.
struct FrameLine: Encodable {
    var index: Int
    /// Item time in seconds, and the same as `value/timescale`: what `--at`, `--start`, `--from` and
    /// `--to` mean.
    var time: Double
    var timeExact: String
    /// Presentation time in seconds, as the file gives it, and the same as `value/timescale`.
    var pts: Double
    var ptsExact: String
    /// In seconds; nil where the file does not say.
    var duration: Double?
    var keyframe: Bool
    /// Of the picture, rendered to RGBA at the film's own size; nil unless asked for.
    var sha256: String?

    init(index: Int, frame: VideoFrame, offset: MediaTime, sha256: String?) {
        self.index = index
        time = frame.presentationTime.seconds
        timeExact = Self.rational(frame.presentationTime)
        pts = (frame.presentationTime + offset).seconds
        ptsExact = Self.rational(frame.presentationTime + offset)
        duration = frame.duration.isNumeric ? frame.duration.seconds : nil
        keyframe = frame.isKeyframe
        self.sha256 = sha256
    }

    private static func rational(_ time: MediaTime) -> String {
        "\(time.value)/\(time.timescale)"
    }

    private enum CodingKeys: String, CodingKey {
        case index, time, pts, duration, keyframe, sha256
        case timeExact = "time_exact"
        case ptsExact = "pts_exact"
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// A line that `frames` prints. The keys are a contract.
struct FrameLine: Encodable {
    var index: Int
    /// The item time, in seconds and as `value/timescale`. It is the kind of time that `--at`,
    /// `--start`, `--from` and `--to` take.
    var time: Double
    var timeExact: String
    /// The timestamp in the file, in seconds and as `value/timescale`.
    var pts: Double
    var ptsExact: String
    /// The duration in seconds; nil if the file does not declare it.
    var duration: Double?
    var keyframe: Bool
    /// The SHA-256 of the frame when it is rendered to RGBA at its display size; nil unless it was
    /// requested.
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

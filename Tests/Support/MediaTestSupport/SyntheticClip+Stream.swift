// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

extension SyntheticClip {
    /// A minute of video in a transport stream, for programs that send it in real time.
    ///
    /// - Parameter keyframeInterval: The number of frames from one keyframe to the next, of 25 a
    ///   second.
    public static func stream(keyframeInterval: Int) -> SyntheticClip {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 25, duration: MediaTime(value: 60, timescale: 1)))
        media.height = 240
        media.keyframeInterval = keyframeInterval
        return SyntheticClip(media, container: "ts")
    }
}

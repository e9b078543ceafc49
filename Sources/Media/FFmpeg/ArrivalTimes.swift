// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadTime

/// Gives the frames of a source without timestamps, such as a network camera, the times of their
/// arrival.
///
/// A multipart stream of JPEG images has neither timestamps nor a rate. FFmpeg assumes 25 frames
/// per second, so a camera with 10 falls behind the timeline, and one with 40 overtakes it.
///
/// - Corresponds to: FFmpeg's `use_wallclock_as_timestamps`, but beginning at 0 and without two
///   frames at the same time.
struct ArrivalTimes {
    /// The time base of the timestamps, that of MPEG: a tick is an eleventh of a millisecond.
    static let timeBase = AVRational(num: 1, den: 90_000)
    /// The minimum time between two frames. A pipe may contain many frames that were recorded
    /// before; they play at 60 frames per second, the rate of the fastest cameras.
    private static let shortestStep = MediaTime(value: 1, timescale: 60)

    private var start: MediaTime?
    private var last: MediaTime?

    /// Returns the time of the frame that arrives at `hostTime`: 0 for the first.
    mutating func time(ofArrivalAt hostTime: MediaTime) -> MediaTime {
        let start = start ?? hostTime
        self.start = start
        let elapsed = hostTime - start
        let time = last.map { max(elapsed, $0 + Self.shortestStep) } ?? .zero
        last = time
        return time
    }
}

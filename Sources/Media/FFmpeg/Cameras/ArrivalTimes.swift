// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadTime

/// A generator of timestamps for a source without timestamps, such as a network camera. Each frame
/// gets the time of its arrival.
///
/// A multipart stream of JPEG images has neither timestamps nor a frame rate. FFmpeg assumes 25
/// frames per second, so a camera with 10 frames per second falls behind the timeline, and a camera
/// with 40 overtakes it.
///
/// - Corresponds to: FFmpeg's `use_wallclock_as_timestamps`. In contrast to that option, times
///   begin at 0, and no two frames have equal times.
struct ArrivalTimes {
    /// The time base of the timestamps, as in MPEG. A tick is 1/90 of a millisecond.
    static let timeBase = AVRational(num: 1, den: 90_000)
    /// The minimum time between two frames of a pipe, which may contain many frames that were
    /// recorded earlier. They play at 60 frames per second, the rate of the fastest cameras.
    static let stepOfPipes = MediaTime(value: 1, timescale: 60)
    /// The minimum time between two frames of a camera.
    static let stepOfCameras = MediaTime(value: 1, timescale: 1000)

    private let shortestStep: MediaTime
    /// The host time at which the first frame arrived; nil before it.
    private(set) var start: MediaTime?
    private var last: MediaTime?

    /// - Parameter shortestStep: The minimum time between two frames.
    init(shortestStep: MediaTime = Self.stepOfPipes) { self.shortestStep = shortestStep }

    /// Returns the time of the frame that arrives at `hostTime`. The time of the first frame is 0.
    mutating func time(ofArrivalAt hostTime: MediaTime) -> MediaTime {
        let start = start ?? hostTime
        self.start = start
        let elapsed = hostTime - start
        let time = last.map { max(elapsed, $0 + shortestStep) } ?? .zero
        last = time
        return time
    }
}

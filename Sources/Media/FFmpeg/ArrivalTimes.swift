// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadTime

/// Stamps the frames of a source that states no times, such as a network camera, by their arrival.
///
/// A multipart stream of JPEG images has neither times nor a rate: FFmpeg assumes 25 frames a
/// second, so a camera of 10 falls behind the timeline and one of 40 runs away from it.
///
/// - Corresponds to: FFmpeg's `use_wallclock_as_timestamps`, from 0 on and never two frames at
///   once.
struct ArrivalTimes {
    /// The unit of the stamps, that of MPEG: a tick is an eleventh of a millisecond.
    static let timeBase = AVRational(num: 1, den: 90_000)
    /// The shortest time between two frames. A pipe may hold many that were recorded before; they
    /// play at 60 a second, the rate of the fastest cameras.
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

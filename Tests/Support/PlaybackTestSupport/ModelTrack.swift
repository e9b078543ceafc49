// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A video track as the playback model knows it: the times of its frames, and its keyframes.
struct ModelTrack {
    /// A time this close before a frame counts as within it.
    static let tolerance = MediaTime(value: 1, timescale: 1_000_000)

    let times: [MediaTime]
    let end: MediaTime
    let keyframeInterval: Int
    /// The number that the first frame shows.
    var firstNumber = 0

    var count: Int { times.count }

    func time(of frame: Int) -> MediaTime { times[frame] }

    func end(of frame: Int) -> MediaTime { frame + 1 < count ? times[frame + 1] : end }

    /// Returns the frame that is shown at a time; nil before the first one and after the last one.
    func index(at time: MediaTime) -> Int? {
        time < end ? times.lastIndex { $0 <= time } : nil
    }

    /// Returns the frame that is shown at a time: the last of `frames` that has begun, or the first
    /// one. Frames that begin at the end of playback, or later, are not shown.
    func frame(
        at time: MediaTime, among frames: some BidirectionalCollection<Int>,
        before end: MediaTime = .invalid
    ) -> Int? {
        frames.last {
            times[$0] <= time + Self.tolerance
                && (!end.isNumeric || times[$0] + Self.tolerance < end)
        } ?? frames.first
    }

    /// Returns the number of frames in the packets that begin before a time.
    func count(before time: MediaTime) -> Int { times.prefix { $0 < time }.count }
}

// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The times of the frames in a synthetic video, at a constant rate or at arbitrary times.
///
/// - Concurrency: a value; any thread.
public struct SyntheticFrameTimes: Sendable, Hashable {
    private let start: MediaTime
    private let frameDuration: MediaTime
    private let list: [MediaTime]

    /// The number of frames.
    package let count: Int
    /// The time at which the display of the last frame ends.
    package let end: MediaTime

    /// Creates times of frames with exactly equal durations: frame `n` begins at
    /// `start + n * frameDuration`.
    ///
    /// - Precondition: the duration of a frame is numeric and positive.
    public init(frameDuration: MediaTime, count: Int, start: MediaTime = .zero) {
        precondition(
            frameDuration.isNumeric && frameDuration > .zero, "a frame lasts some time")
        self.start = start
        self.frameDuration = frameDuration
        self.count = max(0, count)
        list = []
        end = start + frameDuration * Int32(clamping: max(0, count))
    }

    /// Creates times at a constant rate. All frames begin within `duration`.
    public init(framesPerSecond: Int32, duration: MediaTime) {
        self.init(
            frameDuration: MediaTime(value: 1, timescale: framesPerSecond), duration: duration)
    }

    /// Creates times of frames with equal durations. All frames begin within `duration`.
    public init(frameDuration: MediaTime, duration: MediaTime, start: MediaTime = .zero) {
        let frames = duration.multiplied(by: frameDuration.timescale, over: 1)
        let count = frames.multiplied(by: 1, over: Int32(clamping: frameDuration.value))
            .converted(toTimescale: 1, method: .roundTowardPositiveInfinity)
        self.init(frameDuration: frameDuration, count: Int(count.value), start: start)
    }

    /// Creates times with a variable rate.
    ///
    /// - Precondition: the times are numeric and increase, and `end` is after the last time.
    public init(times: [MediaTime], end: MediaTime) {
        let all = times + [end]
        precondition(
            all.allSatisfy(\.isNumeric) && zip(all, all.dropFirst()).allSatisfy { $0 < $1 },
            "frame times increase")
        start = times.first ?? .zero
        frameDuration = .invalid
        list = times
        count = times.count
        self.end = end
    }

    /// A Boolean value that indicates whether all frames have the same duration.
    package var isConstant: Bool { frameDuration.isValid }

    /// The time from one frame to the next; `invalid` at a variable rate.
    package var nominalFrameDuration: MediaTime { frameDuration }

    /// Returns the time at which frame `index` begins. The index must be in `0 ..< count`.
    package func time(of index: Int) -> MediaTime {
        isConstant ? start + frameDuration * Int32(clamping: index) : list[index]
    }

    /// Returns the duration of frame `index`.
    package func duration(of index: Int) -> MediaTime {
        if isConstant { return frameDuration }
        return (index + 1 < count ? list[index + 1] : end) - list[index]
    }

    /// Returns the number of the frame that is shown at `time`: the last frame that begins at or
    /// before that time. Returns nil before the first frame, at or after the end, and for times
    /// that are not numeric.
    package func index(at time: MediaTime) -> Int? {
        guard time.isNumeric, time < end else { return nil }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self.time(of: middle) <= time { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}

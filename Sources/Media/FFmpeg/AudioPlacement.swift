// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A placer of decoded audio frames on the timeline. As long as the container's timestamps agree
/// with the number of samples, it places frames by counting samples.
///
/// Containers round timestamps, some of them to a millisecond, and some timestamps are wrong. For
/// example, FFmpeg's timestamps of Vorbis in Ogg are ahead for one packet wherever blocks become
/// short. Frames whose timestamps deviate from the count are therefore held. If the timestamps
/// agree again, the frames follow the previous ones. If the timestamps deviate for a tenth of a
/// second, there is a gap or an overlap, and a new run begins.
///
/// After a seek there is nothing to count from. The run is then placed where the majority of the
/// first timestamps puts it. If the timestamps are rounded, the run is also aligned with the grid
/// of frames that the track's first packet defines.
struct AudioPlacement {
    /// A step to perform with the held frames, starting with the oldest.
    enum Step: Equatable {
        /// The next frame begins a run at this time.
        case begin(MediaTime)
        /// This number of frames continues the run.
        case take(Int)
    }

    /// The method for placing the next run.
    enum Beginning {
        /// The run is placed by the timestamp of its first frame. If that frame has no timestamp,
        /// the run begins at `fallback`.
        case firstStamp(fallback: MediaTime)
        /// Each of several timestamps, minus the duration of the frames before it, gives a start
        /// time. The run begins at the median of these, because the first timestamp may be wrong.
        /// If no frame has a timestamp, the run begins at `fallback`.
        case median(fallback: MediaTime)
    }

    /// The positions at which frames end. They are used if timestamps are rounded.
    struct Grid: Equatable {
        /// A position on the grid.
        var origin: MediaTime
        /// The distance between adjacent positions, in samples. Nil means the length of the longest
        /// frame.
        var step: Int?
        /// The largest rounding error of a timestamp.
        var rounding: MediaTime
    }

    /// The largest difference between a timestamp and the counted time that is treated as jitter.
    /// It is the tolerance of `AudioRingBuffer`.
    static let tolerance = MediaTime(value: 5, timescale: 1000)
    /// The largest difference between a timestamp and the counted time that is treated as jitter if
    /// the stream ends before the two agree again.
    private static let toleranceAtEnd = MediaTime(value: 50, timescale: 1000)
    /// Deviating timestamps are treated as correct after 1/`patience` of a second.
    private static let patience: Int64 = 10
    private static let framesForGap = 3
    /// The number of frames that are held at most, even if they are shorter than that time. A
    /// damaged file may have frames of a sample each.
    private static let mostFrames = 1000
    /// The number of frames for the median. In Ogg, the timestamps of two FLAC frames after a seek
    /// may be wrong, and three correct ones outvote them.
    private static let framesForMedian = 5

    private struct Frame {
        var stamp: MediaTime
        var count: Int
    }

    let sampleRate: Int32
    private let grid: Grid?
    private var beginning: Beginning?
    private var held: [Frame] = []
    private var start = MediaTime.invalid
    private var taken: Int64 = 0

    init(sampleRate: Int32, beginning: Beginning, grid: Grid? = nil) {
        self.sampleRate = sampleRate
        self.beginning = beginning
        self.grid = grid
    }

    /// The time at which the frames taken so far end; `invalid` before the first frame.
    var end: MediaTime { start + duration(taken) }

    /// Adds a frame, and returns the steps to perform with the held frames.
    mutating func add(stamp: MediaTime, count: Int) -> [Step] {
        held.append(Frame(stamp: stamp, count: count))
        return settle(isEnd: false)
    }

    /// Places all held frames, at the end of the stream.
    mutating func finish() -> [Step] { settle(isEnd: true) }

    private mutating func settle(isEnd: Bool) -> [Step] {
        var steps: [Step] = []
        while !held.isEmpty {
            if let beginning {
                guard let time = place(beginning, isEnd: isEnd) else { break }
                self.beginning = nil
                steps.append(begin(at: time))
            } else if let count = agreeingCount {
                take(count, &steps)
            } else {
                guard isEnd || isLong else { break }
                let deviation = median(from: end)
                let limit = isEnd && !isLong ? Self.toleranceAtEnd : Self.tolerance
                if deviation.magnitude > limit {
                    steps.append(begin(at: snapped(end + deviation)))
                } else {
                    take(held.count, &steps)
                }
            }
        }
        return steps
    }

    /// Returns the time of the first held frame; nil if more frames are needed to determine it.
    private func place(_ beginning: Beginning, isEnd: Bool) -> MediaTime? {
        switch beginning {
        case .firstStamp(let fallback):
            return held[0].stamp.isNumeric ? snapped(held[0].stamp) : fallback
        case .median(let fallback):
            let isEnough =
                held.count >= Self.framesForMedian && heldCount * Self.patience >= Int64(sampleRate)
            guard
                isEnd || isEnough || heldCount >= Int64(sampleRate)
                    || held.count >= Self.mostFrames
            else { return nil }
            guard held.contains(where: \.stamp.isNumeric) else { return fallback }
            return snapped(center(from: .zero))
        }
    }

    private mutating func begin(at time: MediaTime) -> Step {
        start = time
        taken = 0
        return .begin(time)
    }

    private mutating func take(_ count: Int, _ steps: inout [Step]) {
        taken += held.prefix(count).reduce(0) { $0 + Int64($1.count) }
        held.removeFirst(count)
        if case .take(let before)? = steps.last {
            steps[steps.count - 1] = .take(before + count)
        } else {
            steps.append(.take(count))
        }
    }

    /// The number of held frames up to the last frame whose timestamp agrees with the count; nil if
    /// no frame agrees. At the beginning, frames without a timestamp count as agreeing.
    private var agreeingCount: Int? {
        var agreeing: Int?
        var expected = end
        for (index, frame) in held.enumerated() {
            let isFree = !frame.stamp.isNumeric && agreeing ?? 0 == index
            if isFree || (frame.stamp - expected).magnitude <= Self.tolerance {
                agreeing = index + 1
            }
            expected += duration(Int64(frame.count))
        }
        return agreeing
    }

    private var heldCount: Int64 { held.reduce(0) { $0 + Int64($1.count) } }

    private var isLong: Bool {
        held.count >= Self.mostFrames
            || held.count >= Self.framesForGap && heldCount * Self.patience >= Int64(sampleRate)
    }

    /// Returns the median of the differences between the timestamps and the times counted from
    /// `time`.
    private func median(from time: MediaTime) -> MediaTime {
        let deviations = deviations(from: time)
        return deviations.isEmpty ? .zero : deviations[(deviations.count - 1) / 2]
    }

    /// Returns the differences between the timestamps and the times counted from `time`, the
    /// smallest first.
    private func deviations(from time: MediaTime) -> [MediaTime] {
        var expected = time
        var deviations: [MediaTime] = []
        for frame in held {
            if frame.stamp.isNumeric { deviations.append(frame.stamp - expected) }
            expected += duration(Int64(frame.count))
        }
        return deviations.sorted()
    }

    /// Returns the middle between the smallest and the largest difference that `median(from:)`
    /// considers, without the differences that rounding cannot explain.
    ///
    /// If a container always rounds up, more than half of the differences can have the largest
    /// value. The median then leads to the next position of a fine grid. The middle is wrong by at
    /// most half a unit of the timestamps, however they are rounded.
    private func center(from time: MediaTime) -> MediaTime {
        let median = median(from: time)
        guard let grid else { return median }
        let rounded = deviations(from: time).filter { ($0 - median).magnitude <= grid.rounding }
        guard let first = rounded.first, let last = rounded.last else { return median }
        return first + (last - first).multiplied(by: 1, over: 2)
    }

    /// Returns `time`, at which the first held frame begins, moved so that the frame ends on the
    /// grid. If the distance to the grid is too large to result from rounding, returns `time`
    /// itself.
    private func snapped(_ time: MediaTime) -> MediaTime {
        guard let grid, grid.origin.isNumeric else { return time }
        let step = Int64(grid.step ?? held.map(\.count).max() ?? 0)
        guard step > 0 else { return time }
        let length = duration(Int64(held[0].count))
        let place = (time + length - grid.origin).converted(toTimescale: sampleRate)
        guard place.isNumeric else { return time }
        let (whole, rest) = place.value.quotientAndRemainder(dividingBy: step)
        let number =
            2 * rest >= step ? whole + 1 : (2 * rest < -step ? whole - 1 : whole)
        let result = grid.origin + duration(number * step) - length
        return (result - time).magnitude <= grid.rounding ? result : time
    }

    private func duration(_ samples: Int64) -> MediaTime {
        MediaTime(value: samples, timescale: sampleRate)
    }
}

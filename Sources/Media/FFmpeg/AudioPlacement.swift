// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Places decoded audio frames on the timeline: by the number of samples, as long as the stamps of
/// the container agree with it.
///
/// Containers round stamps, some to a millisecond, and some stamps are wrong: FFmpeg's stamps of
/// Vorbis in Ogg are ahead for one packet wherever blocks become short. Frames whose stamps deviate
/// from the count are therefore held. If the stamps return, the frames follow what came before; if
/// they deviate for a tenth of a second, there is a gap or an overlap, and a new run begins.
///
/// After a seek nothing can be counted from. The run is then placed by the median of the first
/// stamps, and on the grid of frames that the track's first packet defines if the stamps are
/// rounded.
struct AudioPlacement {
    /// A step to perform with the frames that are held, oldest first.
    enum Step: Equatable {
        /// The next frame begins a run at this time.
        case begin(MediaTime)
        /// This many frames follow each other.
        case take(Int)
    }

    /// The way in which the next run is placed.
    enum Beginning {
        /// By the stamp of its first frame, or at this time if that has none.
        case firstStamp(fallback: MediaTime)
        /// By the median of several stamps: the first may be wrong.
        case median(fallback: MediaTime)
    }

    /// The positions at which frames end, for stamps that are rounded.
    struct Grid: Equatable {
        /// A position on the grid.
        var origin: MediaTime
        /// The distance between two positions, in samples; nil for the length of the longest frame.
        var step: Int?
        /// The largest error of a stamp.
        var rounding: MediaTime
    }

    /// A deviation from the count that passes for jitter: that of `AudioRingBuffer`.
    static let tolerance = MediaTime(value: 5, timescale: 1000)
    /// A deviation that is jitter even if the stream ends before the stamps return.
    private static let toleranceAtEnd = MediaTime(value: 50, timescale: 1000)
    /// The duration, as a fraction of a second, after which stamps that deviate are right.
    private static let patience: Int64 = 10
    private static let framesForGap = 3
    /// In Ogg the stamps of two FLAC frames after a seek may be wrong; three outvote them.
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

    /// The time at which the frames taken so far end; `invalid` before the first.
    var end: MediaTime { start + duration(taken) }

    /// Adds a frame, and returns what is to be done with those that are held.
    mutating func add(stamp: MediaTime, count: Int) -> [Step] {
        held.append(Frame(stamp: stamp, count: count))
        return settle(isEnd: false)
    }

    /// Places all frames that are held, at the end of the stream.
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

    /// Returns the time of the first held frame, or nil if more frames are needed to determine it.
    private func place(_ beginning: Beginning, isEnd: Bool) -> MediaTime? {
        switch beginning {
        case .firstStamp(let fallback):
            return held[0].stamp.isNumeric ? snapped(held[0].stamp) : fallback
        case .median(let fallback):
            let isEnough =
                held.count >= Self.framesForMedian && heldCount * Self.patience >= Int64(sampleRate)
            guard isEnd || isEnough || heldCount >= Int64(sampleRate) else { return nil }
            guard held.contains(where: \.stamp.isNumeric) else { return fallback }
            return snapped(median(from: .zero))
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

    /// The number of held frames up to the last whose stamp agrees with the count, or that have no
    /// stamp; nil if there are none.
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
        held.count >= Self.framesForGap && heldCount * Self.patience >= Int64(sampleRate)
    }

    /// The median of the differences between stamps and times that are counted from `time` on.
    private func median(from time: MediaTime) -> MediaTime {
        var expected = time
        var deviations: [MediaTime] = []
        for frame in held {
            if frame.stamp.isNumeric { deviations.append(frame.stamp - expected) }
            expected += duration(Int64(frame.count))
        }
        guard !deviations.isEmpty else { return .zero }
        deviations.sort()
        return deviations[(deviations.count - 1) / 2]
    }

    /// The beginning of the first held frame, moved so that the frame ends on the grid; the time
    /// itself if it is too far from the grid to be rounded.
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

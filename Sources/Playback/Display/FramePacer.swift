// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A pacer that chooses the time at which a video is sampled for each vsync, so that frames are
/// evenly spaced.
///
/// A frame is assigned to the vsync that is nearest to its time, so it is visible at most half a
/// vsync interval early or late, and equally often early and late. The video is therefore sampled
/// half an interval after the vsync that is drawn for, because a frame that has begun by then is
/// nearer to this vsync than to the next.
///
/// If frames begin close to that sampling time, however, the smallest jitter decides between two
/// vsyncs each time, and the video judders. The pacer therefore records the phases, within a vsync
/// interval, at which the last frames began. It moves the sampling time away from these phases, by
/// at most a quarter of an interval, so that frames stay at their vsyncs if possible. A video of 24
/// frames per second on 60 Hz has two phases, half an interval apart. The sampling time is placed
/// between them, and frames are shown for three vsyncs, two, three, two, for hours. If the video
/// and the display drift relative to each other, the beginnings of frames occasionally move past
/// the sampling time. Then one frame is shown for one vsync more or less, once and not repeatedly.
/// If they drift fast, or if frames begin at many phases, the sampling time is constant, because no
/// other choice makes the pattern more even.
///
///     let moment = pacer.samplingTime(for: tick)
///     ... draw the frame at `moment`; if it is a new frame:
///     pacer.notePicture(dueAt: hostTime, in: tick)
///
/// - Concurrency: a value that the render thread owns. It does not allocate or lock.
/// - Corresponds to: the choice of frame in a vsync-synchronised `CAMetalLayer` with
///   `present(at:)`; mpv's `--video-sync=display-vdrop`.
package struct FramePacer: Sendable {
    /// The range of the sampling time, in vsync intervals after the vsync that is drawn for.
    private static let range = 0.25...0.75
    private static let middle = 0.5
    /// The minimum distance between the sampling time and the beginnings of frames. If the distance
    /// is smaller, the sampling time is moved. The minimum is 1 ms at 60 Hz, which exceeds the
    /// error of estimated vsyncs. With many phases, the minimum is `nearestShare` of the largest
    /// distance that is possible.
    private static let nearest = 1.0 / 16
    private static let nearestShare = 0.6
    /// The sampling time is moved only if a time can be found that is farther than this from the
    /// beginnings of all frames. If no such time can be found, frames begin at almost all phases.
    private static let least = 1.0 / 20
    /// The distance from the beginnings of frames to which the sampling time is moved, if such a
    /// distance is possible.
    private static let clearance = 1.0 / 8
    /// The number of sampling times that are tried, including the one in the middle.
    private static let candidates = 33
    private static let memory = 16
    /// The number of frames in the longest pattern for a usual pair of rates: 8, for 24 frames per
    /// second on 75 Hz.
    private static let longestPattern = 8
    /// The threshold for the average movement of the phases from one pattern to the next, in vsync
    /// intervals. A larger movement means that frames pass through all phases. A smaller one is
    /// taken as jitter around one phase. For usual rates, the movement is either at most 0.001 or
    /// at least 0.002.
    private static let slowest = 0.0015
    /// The maximum difference between the phases of corresponding frames in two successive
    /// patterns, in vsync intervals. With a larger difference, the frames do not form such a
    /// pattern.
    private static let farthest = 1.0 / 16

    /// The sampling time, in vsync intervals after the vsync that is drawn for.
    package private(set) var offset = FramePacer.middle

    /// A ring of the phases at which the last frames began. A phase is the time since a vsync, in
    /// vsync intervals, 0 ..< 1.
    private var phases = InlineArray<16, Double>(repeating: 0)
    private var count = 0

    package init() {}

    /// Returns the host time at which to sample a video in a tick.
    package func samplingTime(for tick: DisplayTick) -> MediaTime {
        guard let target = tick.targetTimestamp.nanoseconds, let period = tick.duration.nanoseconds
        else { return tick.targetTimestamp }
        return MediaTime(nanoseconds: target + Int64(Double(period) * offset))
    }

    /// Returns the vsync at which an event due at `hostTime` should first be visible, for the
    /// current sampling time.
    package func slot(forHostTime hostTime: MediaTime, in tick: DisplayTick) -> MediaTime {
        let distance = samplingTime(for: tick) - tick.targetTimestamp
        return tick.slot(forHostTime: hostTime - distance)
    }

    /// Records the due time of a frame. `tick` is the tick in which the frame is first shown.
    package mutating func notePicture(dueAt hostTime: MediaTime, in tick: DisplayTick) {
        guard let due = hostTime.nanoseconds, let target = tick.targetTimestamp.nanoseconds,
            let period = tick.duration.nanoseconds, period > 0
        else { return }
        let vsyncs = Double(due - target) / Double(period)
        phases[count % Self.memory] = vsyncs - vsyncs.rounded(.down)
        count += 1
        let margin = margin(at: offset)
        if margin < Self.nearest, repeats { move(from: margin) }
    }

    /// A Boolean value that indicates whether frames begin at nearly the same few phases again and
    /// again. It is also true while too few phases are known.
    private var repeats: Bool {
        let known = min(count, Self.memory)
        guard known > Self.longestPattern else { return true }
        return (1...Self.longestPattern).contains { length in
            var sum = 0.0
            for back in 0..<known - length {
                let last = phases[(count - 1 - back) % Self.memory]
                let difference = last - phases[(count - 1 - back - length) % Self.memory]
                let around = difference - difference.rounded()
                if abs(around) > Self.farthest { return false }
                sum += around
            }
            return abs(sum) < Self.slowest * Double(known - length)
        }
    }

    /// Discards the phases. Call this method when the video or the position has changed.
    package mutating func reset() { count = 0 }

    /// Returns the distance from a phase to the nearest phase of a frame. Phases wrap around at the
    /// vsync.
    private func margin(at place: Double) -> Double {
        var margin = 0.5
        for index in 0..<min(count, Self.memory) {
            let distance = abs(phases[index] - place)
            margin = min(margin, distance, 1 - distance)
        }
        return margin
    }

    /// Returns the number of recorded frames that a sampling time at `place` assigns to another
    /// vsync than the current sampling time does.
    private func changes(at place: Double) -> Int {
        (0..<min(count, Self.memory)).count { (phases[$0] <= offset) != (phases[$0] <= place) }
    }

    private mutating func move(from margin: Double) {
        var widest = 0.0
        for index in 0..<Self.candidates {
            widest = max(widest, self.margin(at: Self.place(index)))
        }
        guard widest > Self.least, margin < widest * Self.nearestShare else { return }
        let wanted = min(widest, Self.clearance) * 0.9
        var best = (place: offset, changes: Int.max, distance: Double.infinity)
        for index in 0..<Self.candidates {
            let place = Self.place(index)
            guard self.margin(at: place) >= wanted else { continue }
            let changes = changes(at: place)
            let distance = abs(place - Self.middle)
            if changes < best.changes || (changes == best.changes && distance < best.distance) {
                best = (place, changes, distance)
            }
        }
        offset = best.place
    }

    private static func place(_ index: Int) -> Double {
        range.lowerBound
            + (range.upperBound - range.lowerBound) * Double(index) / Double(candidates - 1)
    }
}

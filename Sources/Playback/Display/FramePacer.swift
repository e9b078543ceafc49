// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A pacer that chooses the time at which each vsync samples a video, so that frames are evenly
/// spaced.
///
/// A frame belongs to the vsync that is nearest to its time: it is then seen half a vsync early or
/// late at most, and equally often early and late. The video is therefore sampled not at the time
/// of the vsync that is drawn for, but half a vsync later: a frame that has begun by then is nearer
/// to this vsync than to the next.
///
/// If frames begin close to that sampling time, however, the smallest jitter decides between two
/// vsyncs each time, and the video judders. The pacer therefore records the phases, between two
/// vsyncs, at which the last frames began, and moves the sampling time away from them, by a quarter
/// of a vsync at most, so that frames keep their vsyncs where possible. A video of 24 frames a
/// second on 60 Hz has two phases, half a vsync apart: the sampling time is placed between the two,
/// and frames are shown for three vsyncs, two, three, two, for hours. If video and display drift
/// against each other, a frame occasionally passes the sampling time; then one frame is shown for a
/// vsync more or less, once and not back and forth. If they drift fast, or frames begin at many
/// phases, the sampling time is constant: each frame passes it only once, and no pattern is more
/// even than that of a constant.
///
///     let moment = pacer.samplingTime(for: tick)
///     ... draw what the film shows at `moment`; if that is a new picture:
///     pacer.notePicture(dueAt: hostTime, in: tick)
///
/// - Concurrency: a value that the render thread owns. It neither allocates nor locks.
/// - Corresponds to: the choice of frame in a vsync-synchronised `CAMetalLayer` with
///   `present(at:)`; mpv's `--video-sync=display-vdrop`.
package struct FramePacer: Sendable {
    /// The range of the sampling time, in vsyncs after the one that is drawn for.
    private static let range = 0.25...0.75
    private static let middle = 0.5
    /// The distance of a frame's beginning below which the sampling time moves: 1 ms at 60 Hz, more
    /// than the error of estimated vsyncs; or, with many phases, this fraction of the available
    /// distance.
    private static let nearest = 1.0 / 16
    private static let nearestShare = 0.6
    /// The available distance below which the sampling time is not moved: frames begin nearly
    /// everywhere.
    private static let least = 1.0 / 20
    /// The distance to which it moves, if there is space.
    private static let clearance = 1.0 / 8
    /// The number of sampling times that are tried, including the middle.
    private static let candidates = 33
    private static let memory = 16
    /// The number of frames in the longest pattern of a usual pair of rates: 8, for 24 on 75 Hz.
    private static let longestPattern = 8
    /// The average movement from the phases of the previous pattern beyond which frames pass
    /// through all phases, as opposed to jitter around one. For usual rates it is 0.001 at most, or
    /// 0.002 and more.
    private static let slowest = 0.0015
    /// The largest distance between a frame of a pattern and its predecessor.
    private static let farthest = 1.0 / 16

    /// The sampling time, in vsyncs after the one that is drawn for.
    package private(set) var offset = FramePacer.middle

    /// A ring of the phases at which the last frames began, 0 ..< 1 vsync after a vsync.
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

    /// Records the time at which a frame was due that is shown for the first time in a tick.
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

    /// A Boolean value that indicates whether frames begin at the same few phases repeatedly, or
    /// nearly so; also true while too few are known.
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

    /// Discards the phases, for another video or another position.
    package mutating func reset() { count = 0 }

    /// Returns the distance from a phase to the nearest phase of a frame, around the vsync.
    private func margin(at place: Double) -> Double {
        var margin = 0.5
        for index in 0..<min(count, Self.memory) {
            let distance = abs(phases[index] - place)
            margin = min(margin, distance, 1 - distance)
        }
        return margin
    }

    /// Returns the number of the frames that would have been shown in another vsync.
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

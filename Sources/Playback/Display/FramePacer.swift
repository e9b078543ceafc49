// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// Decides for which moment a film is asked at each vsync, so that its pictures are spread evenly.
///
/// A picture belongs to the vsync that is nearest to its time: then it is seen half a vsync early or
/// late at most, and as often early as late. So a film is asked not for the time of the vsync that is
/// drawn for, but for one half a vsync later: what has begun by then is nearer to this vsync than to
/// the next.
///
/// Where pictures begin just about there, though, the smallest jitter would decide between two vsyncs
/// anew for each of them, and the film would judder. The pacer therefore remembers at which places
/// between two vsyncs the last pictures began, and moves the moment away from them, by a quarter of a
/// vsync at most, and so that pictures keep the vsyncs that they have where that can be. A film of 24
/// pictures a second on 60 Hz begins them at two places, half a vsync apart: the moment comes to lie
/// between the two, and each picture is shown for three vsyncs, two, three, two, for hours. Where film
/// and display drift against each other, a picture passes the moment once in a while; then one
/// picture is shown for a vsync more or less, once and not back and forth. Where they drift fast, or
/// pictures begin at many places, the moment rests: what passes it has passed for good, and then no
/// pattern is more even than that of a moment that stays.
///
///     let moment = pacer.samplingTime(for: tick)
///     ... draw what the film shows at `moment`; if that is a new picture:
///     pacer.notePicture(dueAt: hostTime, in: tick)
///
/// - Concurrency: a value; the render thread owns it. Neither allocates nor locks.
/// - Corresponds to: the choice of frame in a vsync-synchronised `CAMetalLayer` with
///   `present(at:)`; mpv's `--video-sync=display-vdrop`.
package struct FramePacer: Sendable {
    /// Where the moment may lie, in vsyncs after the one that is drawn for.
    private static let range = 0.25...0.75
    private static let middle = 0.5
    /// How near to the moment a picture may begin before the moment moves: 1 ms at 60 Hz, more than
    /// estimated vsyncs are ever off by; or, where pictures begin at many places, this much of the
    /// distance that can be had.
    private static let nearest = 1.0 / 16
    private static let nearestShare = 0.6
    /// Less distance than this is not worth moving for: pictures begin nearly everywhere.
    private static let least = 1.0 / 20
    /// How far it moves away, where there is room.
    private static let clearance = 1.0 / 8
    /// The places that are tried, of which the middle is one.
    private static let candidates = 33
    private static let memory = 16
    /// As many pictures as the longest pattern of a usual pair of rates has: 8, for 24 on 75 Hz.
    private static let longestPattern = 8
    /// Pictures that begin further, on average, from where those of the pattern before began are on
    /// their way through all places, and not held up at one by jitter. For usual rates it is 0.001 at
    /// most, or 0.002 and more.
    private static let slowest = 0.0015
    /// No picture that belongs to a pattern is further than this from the one before.
    private static let farthest = 1.0 / 16

    /// Where the moment lies, in vsyncs after the one that is drawn for.
    package private(set) var offset = FramePacer.middle

    /// Places at which the last pictures began, 0 ..< 1 vsync after a vsync; a ring.
    private var phases = InlineArray<16, Double>(repeating: 0)
    private var count = 0

    package init() {}

    /// The host time for which to ask a film in a tick.
    package func samplingTime(for tick: DisplayTick) -> MediaTime {
        guard let target = tick.targetTimestamp.nanoseconds, let period = tick.duration.nanoseconds
        else { return tick.targetTimestamp }
        return MediaTime(nanoseconds: target + Int64(Double(period) * offset))
    }

    /// The vsync in which something due at `hostTime` should be seen first, by where the moment lies
    /// now.
    package func slot(forHostTime hostTime: MediaTime, in tick: DisplayTick) -> MediaTime {
        let distance = samplingTime(for: tick) - tick.targetTimestamp
        return tick.slot(forHostTime: hostTime - distance)
    }

    /// Notes when a picture was due that is shown for the first time in a tick.
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

    /// Whether pictures begin at the same few places again and again, or nearly so; also as long as
    /// there have been too few to tell.
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

    /// Forgets where pictures began: another film, or the same one from another place.
    package mutating func reset() { count = 0 }

    /// How far the nearest place at which a picture began is from a place, around the vsync.
    private func margin(at place: Double) -> Double {
        var margin = 0.5
        for index in 0..<min(count, Self.memory) {
            let distance = abs(phases[index] - place)
            margin = min(margin, distance, 1 - distance)
        }
        return margin
    }

    /// How many of the pictures would have come in another vsync.
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

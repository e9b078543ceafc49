// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The times at which a file can be cut: the start, the end, and the times at which frames begin.
///
/// The times arrive while the file is read. Until the part around a time has been read, the nominal
/// frame rate stands in for its frames.
///
/// - Concurrency: a value; any thread.
struct TrimTimeline: Sendable, Hashable {
    /// The end of the file.
    let end: MediaTime
    /// The nominal duration of a frame.
    let frameDuration: MediaTime
    /// The times at which a cut is exact, in ascending order. The end of the file is the last one
    /// only when the whole file has been read.
    private(set) var cuts: [MediaTime]
    /// The times of the keyframes, in ascending order.
    private(set) var keyframes: [MediaTime] = []
    /// A Boolean value that indicates whether the whole file has been read.
    private(set) var isComplete = false

    /// Creates the timeline of a file of which nothing has been read.
    ///
    /// - Precondition: `end` and `frameDuration` are positive.
    init(end: MediaTime, frameDuration: MediaTime) {
        precondition(end > .zero && frameDuration > .zero, "a file and its frames have a duration")
        self.end = end
        self.frameDuration = frameDuration
        cuts = [.zero]
    }

    /// A frame of the file.
    struct Frame: Sendable, Hashable {
        var time: MediaTime
        var isKeyframe: Bool
    }

    /// Adds frames, in the order in which they are stored.
    mutating func add(_ frames: [Frame]) {
        for frame in frames where frame.time.isNumeric && frame.time >= .zero && frame.time < end {
            Self.insert(frame.time, into: &cuts)
            if frame.isKeyframe { Self.insert(frame.time, into: &keyframes) }
        }
    }

    /// Marks the file as read to its end.
    mutating func complete() {
        isComplete = true
        Self.insert(end, into: &cuts)
    }

    /// Inserts a time. It is near the end of the list, because frames are reordered by little.
    private static func insert(_ time: MediaTime, into times: inout [MediaTime]) {
        var index = times.count
        while index > 0, times[index - 1] > time { index -= 1 }
        if index > 0, times[index - 1] == time { return }
        times.insert(time, at: index)
    }

    /// Returns the cut that is nearest to a time.
    func nearest(_ time: MediaTime) -> MediaTime {
        let time = clamped(time)
        if time == end { return end }
        let index = Self.count(of: cuts, upTo: time)
        // The time is at or after the first cut, which is 0.
        let before = cuts[index - 1]
        guard index < cuts.count else {
            return isComplete ? before : nominal(time, after: before)
        }
        return time - before <= cuts[index] - time ? before : cuts[index]
    }

    /// Returns the cut that is a number of frames after a time; before it, if negative.
    func cut(_ count: Int, from time: MediaTime) -> MediaTime {
        let nominal = time + frameDuration * Int32(clamping: count)
        if !isComplete, time > cuts[cuts.count - 1] { return nearest(nominal) }
        let index = Self.count(of: cuts, upTo: time) - 1
        // A step back from a time between two cuts leads to the first of them.
        let isBetween = count < 0 && cuts[index] < time
        let target = index + count + (isBetween ? 1 : 0)
        if target < cuts.count { return cuts[max(0, target)] }
        return isComplete ? end : nearest(nominal)
    }

    /// Returns the keyframe before or after a time, or the start or the end of the file.
    func keyframe(isForward: Bool, from time: MediaTime) -> MediaTime {
        let index = Self.count(of: keyframes, upTo: time)
        if isForward { return index < keyframes.count ? keyframes[index] : end }
        let isAtKeyframe = index > 0 && keyframes[index - 1] == time
        let previous = index - (isAtKeyframe ? 2 : 1)
        return previous >= 0 ? keyframes[previous] : .zero
    }

    /// Returns the number of frames that begin in a range, as far as they have been read.
    func frameCount(from start: MediaTime, to end: MediaTime) -> Int {
        max(
            0,
            Self.count(of: cuts, before: end) - Self.count(of: cuts, before: start))
    }

    func clamped(_ time: MediaTime) -> MediaTime { min(max(time, .zero), end) }

    /// Returns the nearest multiple of the frame duration, which is not before the last known cut.
    private func nominal(_ time: MediaTime, after last: MediaTime) -> MediaTime {
        let count = (time.seconds / frameDuration.seconds).rounded()
        guard count < Double(Int32.max) else { return time }
        return min(max(frameDuration * Int32(count), last), end)
    }

    /// Returns the number of times up to and including a time.
    static func count(of times: [MediaTime], upTo time: MediaTime) -> Int {
        partition(times) { $0 <= time }
    }

    /// Returns the number of times before a time.
    static func count(of times: [MediaTime], before time: MediaTime) -> Int {
        partition(times) { $0 < time }
    }

    private static func partition(_ times: [MediaTime], _ isLow: (MediaTime) -> Bool) -> Int {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if isLow(times[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

extension LayerAnimation {
    /// The position of an animation between two of its values.
    struct Progress: Equatable {
        /// The index of the value before the position.
        var index: Int
        /// The position between this value and the next one, from 0 to 1.
        var fraction: Double
    }

    /// Returns the position when the host clock reads a time; nil if the animation does not change
    /// the property at that time.
    func progress(atHostTime hostTime: MediaTime) -> Progress? {
        guard let elapsed = elapsed(atHostTime: hostTime) else { return nil }
        let (run, cycle, total) = lengths
        if elapsed < 0 {
            guard fillMode == .backwards || fillMode == .both else { return nil }
            return place(at: 0)
        }
        guard elapsed >= total else { return place(at: phase(elapsed, run: run, cycle: cycle)) }
        guard fillMode == .forwards || fillMode == .both else { return nil }
        guard run > 0, repeatCount > 0 else { return place(at: autoreverses ? 0 : 1) }
        let rest = repeatCount - repeatCount.rounded(.down)
        return place(
            at: rest == 0
                ? autoreverses ? 0 : 1 : phase(rest * cycle, run: run, cycle: cycle))
    }

    /// Returns whether the animation still changes after a host time. An animation changes until it
    /// reaches its end (or, if the timeline runs backwards, its start). On a paused timeline, it
    /// does not change.
    func moves(afterHostTime hostTime: MediaTime) -> Bool {
        let soon = hostTime + MediaTime(value: 1, timescale: 1)
        guard let elapsed = elapsed(atHostTime: hostTime),
            let later = self.elapsed(atHostTime: soon), later != elapsed
        else { return false }
        return later > elapsed ? elapsed < lengths.total : elapsed >= 0
    }

    /// Returns the number of seconds since the animation began, negative before it begins; nil if
    /// the animation does not change the property at that time.
    private func elapsed(atHostTime hostTime: MediaTime) -> Double? {
        let time: MediaTime =
            switch timeline {
            case .host: hostTime
            case .item(let source): source.itemTime(forHostTime: hostTime)
            }
        guard time.isNumeric, beginTime.isNumeric, duration.isNumeric, speed.isFinite,
            !repeatCount.isNaN, track.count > 0
        else { return nil }
        return (time - beginTime).seconds * speed
    }

    /// The durations, in seconds, of one run, of a cycle (a run and, if there is one, its
    /// reversal), and of the whole animation.
    private var lengths: (run: Double, cycle: Double, total: Double) {
        let run = max(0, duration.seconds)
        let cycle = autoreverses ? 2 * run : run
        return (run, cycle, run > 0 ? cycle * max(0, repeatCount) : 0)
    }

    /// Returns the time within a run, from 0 to 1. In the reversal of a run, the time decreases.
    private func phase(_ elapsed: Double, run: Double, cycle: Double) -> Double {
        let within = elapsed.truncatingRemainder(dividingBy: cycle)
        return within <= run ? within / run : (cycle - within) / run
    }

    private func place(at time: Double) -> Progress {
        let time = timingFunction(time)
        let count = track.count
        let isDiscrete = calculationMode == .discrete
        let steps = isDiscrete ? count : count - 1
        guard steps > 0 else { return Progress(index: 0, fraction: 0) }
        func keyTime(_ index: Int) -> Double {
            if let keyTimes, keyTimes.count == steps + 1 { return keyTimes[index] }
            return Double(index) / Double(steps)
        }
        var index = 0
        while index < steps - 1, time >= keyTime(index + 1) { index += 1 }
        guard !isDiscrete else { return Progress(index: index, fraction: 0) }
        let (start, end) = (keyTime(index), keyTime(index + 1))
        var fraction = end > start ? (time - start) / (end - start) : 1
        // Before the first key time and after the last one, the value is constant. If the key times
        // reach 0 and 1, timing curves may overshoot.
        if start > 0, index == 0 { fraction = max(0, fraction) }
        if end < 1, index == steps - 1 { fraction = min(1, fraction) }
        if keyTimingFunctions.indices.contains(index) {
            fraction = keyTimingFunctions[index](fraction)
        }
        return Progress(index: index, fraction: fraction)
    }
}

extension LayerAnimation.Track {
    /// The number of values.
    var count: Int {
        switch self {
        case .opacity(let values), .cornerRadius(let values), .zPosition(let values),
            .rotation(let values, _), .progress(let values):
            values.count
        case .position(let values), .scale(let values): values.count
        case .frame(let values), .contentsRect(let values): values.count
        case .transform(let values): values.count
        case .translation(let values): values.count
        case .color(let values): values.count
        }
    }
}

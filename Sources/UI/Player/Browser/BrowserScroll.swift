// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers
import PlayheadTime

/// The scroll offset of a grid as a function of time. A movement begins fast and ends slowly.
///
/// - Concurrency: a value; any thread.
struct BrowserScroll: Sendable, Hashable {
    /// The offset at the beginning of the last movement, in pixels.
    private(set) var start = 0.0
    /// The offset after the last movement, in pixels.
    private(set) var target = 0.0
    /// The host time at which the last movement began.
    private(set) var beginTime = MediaTime.zero
    /// The direction of the last movement: 1 if it went down, -1 if it went up.
    private(set) var direction = 1

    /// The duration of a movement.
    static let duration = MediaTime(value: 1, timescale: 5)
    /// The course of a movement.
    static let curve = TimingFunction.easeOut

    /// The time at which the last movement ends.
    var endTime: MediaTime { start == target ? beginTime : beginTime + Self.duration }

    /// Returns whether the grid moves at a time.
    func isMoving(at time: MediaTime) -> Bool { start != target && time < endTime }

    /// Returns the offset at a time.
    func offset(at time: MediaTime) -> Double {
        guard isMoving(at: time) else { return target }
        let elapsed = (time - beginTime).seconds / Self.duration.seconds
        return start + (target - start) * Self.curve(max(0, elapsed))
    }

    /// The offsets between which the grid is from a time on.
    func offsets(from time: MediaTime) -> ClosedRange<Double> {
        let offset = offset(at: time)
        return min(offset, target)...max(offset, target)
    }

    /// Moves smoothly to an offset.
    ///
    /// - Parameter limit: The longest visible way. A longer movement begins nearer to its target,
    ///   so that it does not show the whole grid.
    mutating func move(to offset: Double, at time: MediaTime, limit: Double = .infinity) {
        guard offset != target else { return }
        turn(towards: offset)
        start = min(max(self.offset(at: time), offset - limit), offset + limit)
        target = offset
        beginTime = time
    }

    /// Moves to an offset at once.
    mutating func jump(to offset: Double) {
        turn(towards: offset)
        start = offset
        target = offset
    }

    private mutating func turn(towards offset: Double) {
        if offset != target { direction = offset > target ? 1 : -1 }
    }
}

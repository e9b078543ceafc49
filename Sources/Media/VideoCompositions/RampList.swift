// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The ramps of one property, sorted by time. They do not overlap.
struct RampList<Value: Sendable & Hashable>: Sendable, Hashable {
    typealias Ramp = VideoCompositionRamp<Value>

    private(set) var ramps: [Ramp] = []

    /// Inserts a ramp, and removes those that overlap it.
    mutating func set(_ ramp: Ramp) {
        let range = ramp.timeRange
        ramps.removeAll { other in
            let (start, end) = (other.timeRange.start, other.timeRange.end)
            return start == range.start || (start < range.end && range.start < end)
        }
        let index = ramps.firstIndex { $0.timeRange.start > range.start } ?? ramps.count
        ramps.insert(ramp, at: index)
    }

    /// Returns the ramp at a time, or the next one if no ramp covers that time; nil after the last
    /// ramp.
    func ramp(at time: MediaTime) -> Ramp? {
        ramps.first { $0.timeRange.start >= time || $0.timeRange.end > time }
    }

    /// Returns the value at a time; nil before the first ramp.
    ///
    /// - Parameter mix: A function that returns the value at a fraction of the way from the first
    ///   value to the second.
    func value(at time: MediaTime, mix: (Value, Value, Double) -> Value) -> Value? {
        guard let ramp = ramps.last(where: { $0.timeRange.start <= time }) else { return nil }
        let fraction = ramp.fraction(at: time)
        return fraction < 1 ? mix(ramp.startValue, ramp.endValue, fraction) : ramp.endValue
    }
}

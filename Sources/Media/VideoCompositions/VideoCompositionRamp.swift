// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A change of a layer's property from one value to another, linear in time.
///
/// A change that is not gradual is a ramp with a duration of zero.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the results of `getOpacityRamp(for:startOpacity:endOpacity:timeRange:)`.
public struct VideoCompositionRamp<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The time range of the change.
    public var timeRange: MediaTimeRange
    /// The value at the start.
    public var startValue: Value
    /// The value at the end. It lasts until the next ramp starts.
    public var endValue: Value

    /// Creates a ramp.
    public init(timeRange: MediaTimeRange, from startValue: Value, to endValue: Value) {
        self.timeRange = timeRange
        self.startValue = startValue
        self.endValue = endValue
    }

    /// Returns the fraction of the ramp, from 0 to 1, that has passed at a time.
    func fraction(at time: MediaTime) -> Double {
        guard time < timeRange.end else { return 1 }
        return (time - timeRange.start).seconds / timeRange.duration.seconds
    }
}

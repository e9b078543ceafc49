// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A change of a layer's property from one value to another, linear in time.
///
/// A value that is set at a time is a ramp without a duration.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the results of `getOpacityRamp(for:startOpacity:endOpacity:timeRange:)`.
public struct VideoCompositionRamp<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The time of the change.
    public var timeRange: MediaTimeRange
    /// The value at the start.
    public var startValue: Value
    /// The value from the end on, until the next ramp starts.
    public var endValue: Value

    /// Creates a ramp.
    public init(timeRange: MediaTimeRange, from startValue: Value, to endValue: Value) {
        self.timeRange = timeRange
        self.startValue = startValue
        self.endValue = endValue
    }

    /// Returns how much of the time has passed at a time from the start on, from 0 to 1.
    func fraction(at time: MediaTime) -> Double {
        guard time < timeRange.end else { return 1 }
        return (time - timeRange.start).seconds / timeRange.duration.seconds
    }
}

// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A schedule of exactly periodic vsyncs. Vsync n is at n periods of host time.
///
/// Times are rational: at 60000/1001 Hz, vsync 60,000 is at 1001 s, without intermediate rounding.
public struct VsyncSchedule: Sendable, Hashable {
    /// The time between two vsyncs.
    public let period: MediaTime

    /// Creates a schedule.
    ///
    /// - Precondition: `period` is numeric and positive.
    public init(period: MediaTime) {
        precondition(period.isNumeric && period > .zero, "a display's period is positive")
        self.period = period
    }

    /// Creates a schedule with `vsyncs` vsyncs every `seconds` seconds, such as 60 and 1, or 60,000
    /// and 1,001.
    public init(vsyncs: Int32, inSeconds seconds: Int32 = 1) {
        self.init(period: MediaTime(value: Int64(seconds), timescale: vsyncs))
    }

    /// Returns the host time of vsync `sequence`.
    public func time(of sequence: Int64) -> MediaTime {
        let (value, overflow) = period.value.multipliedReportingOverflow(by: sequence)
        if overflow { return sequence > 0 ? .positiveInfinity : .negativeInfinity }
        return MediaTime(value: value, timescale: period.timescale)
    }

    /// Returns the last vsync that is not after `time`. The time must be numeric.
    package func sequence(atOrBefore time: MediaTime) -> Int64 {
        precondition(time.isNumeric, "only a numeric time lies between vsyncs")
        let numerator = Int128(time.value) * Int128(period.timescale)
        let denominator = Int128(period.value) * Int128(time.timescale)
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Functions for the times of a timeline. Files write a time as a value and a frame rate, both as
/// decimal fractions.
enum TimelineTime {
    /// The timescale, 705,600,000 units per second (Facebook's *flicks*). All frame rates up to 120
    /// Hz, those of NTSC and all sample rates divide it, so sums of such times stay exact.
    static let timescale: Int32 = 705_600_000

    /// Returns the time of a value at a rate; nil unless both are numbers and the rate is positive.
    ///
    /// A whole value counts frames. Any other value was computed from seconds and the rate as
    /// written: 71.94 at 23.98 is 3 s, not 3.0005 s.
    static func time(_ value: Double, rate: Double) -> MediaTime? {
        guard value.isFinite else { return nil }
        if value == 0, rate.isFinite { return .zero }
        guard let unit = frameDuration(rate: rate) else { return nil }
        let whole = value.rounded()
        guard abs(whole) < 0x1p50 else { return nil }
        // Programs that convert rates write 41.99999999 instead of 42.
        if abs(value - whole) < 1e-5 {
            let (product, overflows) = Int64(whole).multipliedReportingOverflow(by: unit.value)
            return overflows ? nil : aligned(MediaTime(value: product, timescale: unit.timescale))
        }
        let units = (value / rate * Double(timescale)).rounded()
        return abs(units) < 0x1p62 ? MediaTime(value: Int64(units), timescale: timescale) : nil
    }

    /// Returns the duration of a frame at a rate. A rate close to n * 1000/1001 counts as that
    /// rate.
    static func frameDuration(rate: Double) -> MediaTime? {
        guard rate.isFinite, rate > 0, rate <= Double(Int32.max) else { return nil }
        let whole = rate.rounded()
        if abs(rate - whole) < 1e-6, whole >= 1 {
            return aligned(MediaTime(value: 1, timescale: Int32(whole)))
        }
        // 23.976, 23.98, 29.97, 47.95, 59.94 and 119.88 come from 24, 30, 48, 60 and 120.
        let nominal = (rate * 1.001).rounded()
        if nominal >= 1, nominal <= 1000, abs(rate - nominal / 1.001) < 0.006 {
            return MediaTime(value: 1001, timescale: Int32(nominal) * 1000)
        }
        let units = (Double(timescale) / rate).rounded()
        return units >= 1 && units < 0x1p62
            ? MediaTime(value: Int64(units), timescale: timescale) : nil
    }

    /// Returns the time in a timescale in which sums stay exact.
    static func aligned(
        _ time: MediaTime, method: MediaTime.RoundingMethod = .roundHalfAwayFromZero
    ) -> MediaTime {
        guard time.isNumeric, time.timescale > 0, timescale % time.timescale != 0 else {
            return time
        }
        let result = time.converted(toTimescale: timescale, method: method)
        return MediaTime(value: result.value, timescale: result.timescale)
    }

    /// Returns a time multiplied by a speed.
    static func scaled(_ time: MediaTime, by speed: Double) -> MediaTime {
        if speed == 1 { return time }
        if speed == 0 { return .zero }
        let value = Double(time.value) * speed
        // For whole speeds, and for halves of even numbers, the timescale need not change.
        if value == value.rounded(), abs(value) < 0x1p52 {
            return MediaTime(value: Int64(value), timescale: time.timescale)
        }
        let units = (time.seconds * speed * Double(timescale)).rounded()
        return abs(units) < 0x1p62
            ? MediaTime(value: Int64(units), timescale: timescale) : .positiveInfinity
    }

    /// Returns the time in `target` that corresponds to a time in `source`.
    static func mapped(
        _ time: MediaTime, from source: MediaTimeRange, to target: MediaTimeRange
    ) -> MediaTime {
        if source.duration == target.duration { return target.start + (time - source.start) }
        return aligned(time.mapped(from: source, to: target))
    }
}

// SPDX-License-Identifier: Apache-2.0

extension MediaTime {
    /// Creates a time from exact seconds. Four forms are tried in this order, until one fits: the
    /// exact value with the divisor of `seconds` as its timescale; the exact value in units of
    /// 1/`timescale`; the exact value in lowest terms; and the value rounded to units of
    /// 1/`timescale` or, if it overflows, to units of a coarser timescale.
    init(_ seconds: ExactSeconds, preferring timescale: Int32, flags: Flags, epoch: Int64) {
        if let time = Self.fitted(seconds, flags, epoch) {
            self = time
            return
        }
        let (quotient, remainder) = seconds.units(of: timescale)
        if remainder == 0, let quotient, let value = seconds.value(quotient) {
            self.init(value: value, timescale: timescale, flags: flags.union(.valid), epoch: epoch)
        } else if let time = Self.fitted(seconds.inLowestTerms, flags, epoch) {
            self = time
        } else {
            self.init(rounding: seconds, toTimescale: timescale, flags: flags, epoch: epoch)
        }
    }

    /// Creates a time in units of 1/`timescale`, rounded as by `roundHalfAwayFromZero`. If the
    /// value overflows, the timescale is halved until it fits. If that does not help, the time is
    /// an infinity.
    init(rounding seconds: ExactSeconds, toTimescale timescale: Int32, flags: Flags, epoch: Int64) {
        var scale = timescale
        while scale > 0 {
            let (quotient, remainder) = seconds.units(of: scale)
            // At least half of the divisor remains; `remainder * 2` might overflow.
            let isUp = remainder >= seconds.divisor - remainder
            if let quotient, let value = seconds.value(isUp ? quotient + 1 : quotient) {
                self.init(
                    value: value, timescale: scale,
                    flags: flags.union(remainder == 0 ? .valid : .validAndRounded), epoch: epoch)
                return
            }
            scale /= 2
        }
        self = seconds.isNegative ? .negativeInfinity : .positiveInfinity
    }

    /// Returns the exact time whose timescale is the divisor of `seconds`; nil if a `MediaTime`
    /// cannot hold it.
    private static func fitted(
        _ seconds: ExactSeconds, _ flags: Flags, _ epoch: Int64
    ) -> MediaTime? {
        let (product, overflows) = seconds.first.multipliedReportingOverflow(by: seconds.second)
        guard !overflows, let value = seconds.value(product),
            let scale = Int32(exactly: seconds.divisor)
        else { return nil }
        return MediaTime(value: value, timescale: scale, flags: flags.union(.valid), epoch: epoch)
    }
}

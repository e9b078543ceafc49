// SPDX-License-Identifier: Apache-2.0

extension MediaTime {
    /// Returns the sum, in the least common multiple of both timescales. The sum is exact if a
    /// `MediaTime` can hold it; otherwise it is rounded to the finer of both timescales.
    ///
    /// Invalid plus anything is invalid. An infinity plus anything else is that infinity, but +∞
    /// plus −∞ is invalid. Indefinite plus a number is indefinite. A time of epoch 0, which is a
    /// duration, can be added to any time. The sum of two times of the same epoch is a duration.
    /// Other times of different epochs cannot be added: the sum is invalid.
    ///
    /// - Corresponds to: `CMTimeAdd`, which rounds whenever the common timescale does not fit.
    public static func + (left: MediaTime, right: MediaTime) -> MediaTime {
        sum(left, right, sign: 1)
    }

    /// Returns the difference, with the rules of `+`.
    ///
    /// - Corresponds to: `CMTimeSubtract`.
    public static func - (left: MediaTime, right: MediaTime) -> MediaTime {
        sum(left, right, sign: -1)
    }

    private static func sum(_ left: MediaTime, _ right: MediaTime, sign: Int64) -> MediaTime {
        guard left.isNumeric, right.isNumeric else {
            return sumOfSpecials(left, sign < 0 ? -right : right)
        }
        guard left.epoch == right.epoch || left.epoch == 0 || right.epoch == 0 else {
            return .invalid
        }
        let flags = left.roundedFlag.union(right.roundedFlag)
        let epoch = left.epoch == 0 ? right.epoch : right.epoch == 0 ? left.epoch : 0
        if left.timescale == right.timescale {
            let (value, overflows) =
                sign < 0
                ? left.value.subtractingReportingOverflow(right.value)
                : left.value.addingReportingOverflow(right.value)
            if !overflows {
                return MediaTime(
                    value: value, timescale: left.timescale, flags: flags.union(.valid),
                    epoch: epoch)
            }
        }
        let divisor = Int128(
            greatestCommonDivisor(UInt64(left.timescale), UInt64(right.timescale)))
        let leftFactor = Int128(right.timescale) / divisor
        let rightFactor = Int128(left.timescale) / divisor
        let sum =
            Int128(left.value) * leftFactor + Int128(right.value) * Int128(sign) * rightFactor
        return MediaTime(
            ExactSeconds(
                isNegative: sum < 0, first: sum.magnitude,
                divisor: UInt128(Int128(left.timescale) * leftFactor)),
            preferring: max(left.timescale, right.timescale), flags: flags, epoch: epoch)
    }

    /// Returns the negated time. Infinities change sign; other times that are not numeric stay
    /// unchanged.
    public static prefix func - (time: MediaTime) -> MediaTime {
        if time.isPositiveInfinity { return .negativeInfinity }
        if time.isNegativeInfinity { return .positiveInfinity }
        guard time.isNumeric else { return time }
        return MediaTime(
            ExactSeconds(
                isNegative: time.value > 0, first: UInt128(time.value.magnitude),
                divisor: UInt128(UInt32(time.timescale))),
            preferring: time.timescale, flags: time.roundedFlag, epoch: time.epoch)
    }

    /// Adds a time, with the rules of `+`.
    public static func += (left: inout MediaTime, right: MediaTime) { left = left + right }
    /// Subtracts a time, with the rules of `-`.
    public static func -= (left: inout MediaTime, right: MediaTime) { left = left - right }

    /// Returns the time multiplied by an integer, in the same timescale. The product is exact if it
    /// fits.
    ///
    /// - Corresponds to: `CMTimeMultiply`.
    public static func * (time: MediaTime, multiplier: Int32) -> MediaTime {
        time.multiplied(by: multiplier, over: 1)
    }

    /// Returns the time multiplied by an integer.
    public static func * (multiplier: Int32, time: MediaTime) -> MediaTime { time * multiplier }

    /// Returns the time multiplied by a `Double`. The product is exact if it fits: half of
    /// 1001/30000 is 1001/60000. Otherwise it is rounded to nanoseconds, or to the time's own
    /// timescale if that is finer. NaN gives `invalid`.
    ///
    /// - Corresponds to: `CMTimeMultiplyByFloat64`, which rounds to the time's timescale, doubled
    ///   until it is 65,536 or more.
    public static func * (time: MediaTime, multiplier: Double) -> MediaTime {
        guard time.isNumeric, multiplier.isFinite else {
            return scaleSpecial(time, by: multiplier)
        }
        guard
            let product = ExactSeconds(
                value: time.value, timescale: time.timescale, times: multiplier)
        else { return (time.value > 0) == (multiplier > 0) ? .positiveInfinity : .negativeInfinity }
        return MediaTime(
            product, preferring: max(time.timescale, 1_000_000_000),
            flags: product.hasLostBits && time.value != 0 ? .hasBeenRounded : time.roundedFlag,
            epoch: time.epoch)
    }

    /// Returns the time multiplied by a `Double`.
    public static func * (multiplier: Double, time: MediaTime) -> MediaTime { time * multiplier }

    /// Returns the time multiplied by `multiplier / divisor`; a zero divisor gives `invalid`.
    ///
    /// - Corresponds to: `CMTimeMultiplyByRatio`.
    public func multiplied(by multiplier: Int32, over divisor: Int32) -> MediaTime {
        guard divisor != 0 else { return .invalid }
        guard isNumeric else {
            return Self.scaleSpecial(self, by: Double(multiplier) / Double(divisor))
        }
        let isNegative = (value < 0) != ((multiplier < 0) != (divisor < 0))
        return MediaTime(
            ExactSeconds(
                isNegative: isNegative, first: UInt128(value.magnitude),
                second: UInt128(multiplier.magnitude),
                divisor: UInt128(UInt32(timescale)) * UInt128(divisor.magnitude)),
            preferring: timescale, flags: roundedFlag, epoch: epoch)
    }

    /// Returns the time divided by a factor that is neither 0 nor NaN. The quotient is exact if it
    /// fits. Multiplication cannot replace this method, because the inverse of a factor (a third,
    /// for example) may not be a `Double`.
    func divided(by divisor: Double) -> MediaTime {
        guard isNumeric, let exact = ExactSeconds(value: value, timescale: timescale, over: divisor)
        else { return self * (1 / divisor) }
        return MediaTime(
            exact, preferring: max(timescale, 1_000_000_000), flags: roundedFlag, epoch: epoch)
    }

    /// The absolute value.
    ///
    /// - Corresponds to: `CMTimeAbsoluteValue`.
    package var magnitude: MediaTime {
        isNegativeInfinity || (isNumeric && value < 0) ? -self : self
    }

    /// The flags that the result of an operation on this time inherits.
    var roundedFlag: Flags { flags.intersection(.hasBeenRounded) }

    private static func sumOfSpecials(_ left: MediaTime, _ right: MediaTime) -> MediaTime {
        guard left.isValid, right.isValid else { return .invalid }
        switch (left.infinitySign, right.infinitySign) {
        case (0, 0): return .indefinite
        case (0, _): return right
        case (_, 0): return left
        case (let sign, let other): return sign == other ? left : .invalid
        }
    }

    private static func scaleSpecial(_ time: MediaTime, by factor: Double) -> MediaTime {
        guard time.isValid, !factor.isNaN else { return .invalid }
        if time.isIndefinite { return .indefinite }
        if time.isNumeric {
            // The factor is infinite.
            if time.value == 0 { return .invalid }
            return (time.value > 0) == (factor > 0) ? .positiveInfinity : .negativeInfinity
        }
        if factor == 0 { return .invalid }
        return factor > 0 ? time : -time
    }

    private var infinitySign: Int { isPositiveInfinity ? 1 : isNegativeInfinity ? -1 : 0 }
}

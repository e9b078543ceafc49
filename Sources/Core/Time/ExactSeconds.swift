// SPDX-License-Identifier: Apache-2.0

/// A number of seconds before it is fitted into a `MediaTime`: `first * second / divisor`, a
/// product that need not fit 128 bits.
///
/// All arithmetic of `MediaTime` ends here, so all of it keeps one promise: the result is exact
/// whenever a `MediaTime` can hold it; else it is rounded, and says so; else it is an infinity.
struct ExactSeconds {
    var isNegative: Bool
    /// The smaller factor is below 2^96, so that a timescale can be multiplied into it.
    var first: UInt128
    var second: UInt128 = 1
    /// Positive.
    var divisor: UInt128
    /// Whether bits of a factor were too small to be kept.
    var hasLostBits = false

    /// As a time: as it stands where it fits, else exactly in units of 1/`timescale`, else in
    /// lowest terms, else rounded to units of 1/`timescale` or, where even that overflows, coarser
    /// ones.
    func time(preferring timescale: Int32, flags: MediaTime.Flags, epoch: Int64) -> MediaTime {
        if let time = fitted(first, second, divisor, flags, epoch) { return time }
        let (quotient, remainder) = units(of: timescale)
        if remainder == 0, let quotient, let value = value(quotient) {
            return MediaTime(
                value: value, timescale: timescale, flags: flags.union(.valid), epoch: epoch)
        }
        let common = Self.greatestCommonDivisor(first, divisor)
        let rest = divisor / common
        let other = Self.greatestCommonDivisor(second, rest)
        if let time = fitted(first / common, second / other, rest / other, flags, epoch) {
            return time
        }
        return rounded(toTimescale: timescale, flags: flags, epoch: epoch)
    }

    /// In units of 1/`timescale`, to the nearest, halves away from zero. A timescale in which the
    /// value overflows is halved until it does not; an infinity if that does not help.
    func rounded(toTimescale timescale: Int32, flags: MediaTime.Flags, epoch: Int64) -> MediaTime {
        var scale = timescale
        while scale > 0 {
            let (quotient, remainder) = units(of: scale)
            // At least half of the divisor is left over: `remainder * 2` might not fit.
            let isUp = remainder >= divisor - remainder
            if let quotient, let value = value(isUp ? quotient + 1 : quotient) {
                return MediaTime(
                    value: value, timescale: scale,
                    flags: flags.union(remainder == 0 ? .valid : .validAndRounded),
                    epoch: epoch)
            }
            scale /= 2
        }
        return isNegative ? .negativeInfinity : .positiveInfinity
    }

    /// How many whole units of 1/`timescale` this is, without the sign, and what is left over; a
    /// quotient of nil is too large to matter.
    private func units(of timescale: Int32) -> (quotient: UInt128?, remainder: UInt128) {
        let small = min(first, second) * UInt128(UInt32(timescale))
        let product = small.multipliedFullWidth(by: max(first, second))
        guard product.high < divisor else { return (nil, 0) }
        if product.high == 0 {
            let (quotient, remainder) = product.low.quotientAndRemainder(dividingBy: divisor)
            return (quotient, remainder)
        }
        let (quotient, remainder) = divisor.dividingFullWidth(product)
        return (quotient < .max ? quotient : nil, remainder)
    }

    private func fitted(
        _ first: UInt128, _ second: UInt128, _ divisor: UInt128, _ flags: MediaTime.Flags,
        _ epoch: Int64
    ) -> MediaTime? {
        let (product, overflows) = first.multipliedReportingOverflow(by: second)
        guard !overflows, let value = value(product), let scale = Int32(exactly: divisor) else {
            return nil
        }
        return MediaTime(value: value, timescale: scale, flags: flags.union(.valid), epoch: epoch)
    }

    /// The magnitude with the sign, if it fits.
    private func value(_ magnitude: UInt128) -> Int64? {
        guard magnitude <= 1 << 63 else { return nil }
        return Int64(exactly: isNegative ? -Int128(magnitude) : Int128(magnitude))
    }

    static func greatestCommonDivisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
        var (a, b) = (a, b)
        while b != 0 {
            // Mostly small: 64-bit division is many times faster.
            if let small = UInt64(exactly: a), let smaller = UInt64(exactly: b) {
                return UInt128(MediaTime.greatestCommonDivisor(small, smaller))
            }
            (a, b) = (b, a % b)
        }
        return max(a, 1)
    }
}

extension ExactSeconds {
    /// `value / timescale` seconds times a finite factor, exactly for every factor that is not so
    /// small (below 2^-43) that bits beyond the 96th after the binary point count. Those are
    /// rounded off: at most 1/8 of a unit of any result.
    ///
    /// - Returns: nil where the product is too large for any time.
    init?(value: Int64, timescale: Int32, times factor: Double) {
        guard factor != 0 else {
            self.init(isNegative: false, first: 0, divisor: 1)
            return
        }
        // factor = ± significand * 2^exponent, the significand odd.
        var significand = UInt128(UInt64(factor.significand * 0x1p52))
        var exponent = Int(factor.exponent) - 52
        let zeros = significand.trailingZeroBitCount
        significand >>= zeros
        exponent += zeros
        let isNegative = (value < 0) != (factor < 0)
        if exponent >= 0 {
            guard exponent <= significand.leadingZeroBitCount || value == 0 else { return nil }
            self.init(
                isNegative: isNegative, first: UInt128(value.magnitude),
                second: value == 0 ? 0 : significand << exponent,
                divisor: UInt128(UInt32(timescale)))
            return
        }
        let excess = max(0, -exponent - 96)
        if excess > 0 {
            // Shifting by more than the width gives zero.
            significand = (significand >> (excess - 1) + 1) >> 1
        }
        self.init(
            isNegative: isNegative, first: UInt128(value.magnitude), second: significand,
            // The lowest bit, which is set, goes first.
            divisor: UInt128(UInt32(timescale)) << min(-exponent, 96), hasLostBits: excess > 0)
    }

    /// `value / timescale` seconds over a divisor.
    ///
    /// - Returns: nil where the divisor is not between 2^-32 and 2^32, so that it needs more bits.
    init?(value: Int64, timescale: Int32, over divisor: Double) {
        guard divisor.magnitude >= 0x1p-32, divisor.magnitude <= 0x1p32 else { return nil }
        // divisor = ± significand * 2^-shift; the shift is at most 84.
        let significand = UInt128(UInt64(divisor.significand * 0x1p52))
        let shift = 52 - Int(divisor.exponent)
        let zeros = min(significand.trailingZeroBitCount, shift)
        self.init(
            isNegative: (value < 0) != (divisor < 0), first: UInt128(value.magnitude),
            second: 1 << (shift - zeros),
            divisor: UInt128(UInt32(timescale)) * (significand >> zeros))
    }
}

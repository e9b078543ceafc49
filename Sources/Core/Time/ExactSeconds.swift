// SPDX-License-Identifier: Apache-2.0

/// A number of seconds before it is fitted into a `MediaTime`: `first * second / divisor`, a
/// product that may exceed 128 bits.
///
/// All arithmetic of `MediaTime` ends here and keeps one promise: the result is exact if a
/// `MediaTime` can hold it, else rounded and marked as rounded, else an infinity.
struct ExactSeconds {
    var isNegative: Bool
    /// The smaller factor is below 2^96, so that it can be multiplied by a timescale.
    var first: UInt128
    var second: UInt128 = 1
    /// Positive.
    var divisor: UInt128
    /// A Boolean value that indicates whether a factor lost its lowest bits.
    var hasLostBits = false

    /// Returns a time: with the divisor as timescale if that fits, else exactly in units of
    /// 1/`timescale`, else in lowest terms, else rounded to units of 1/`timescale` or, if that
    /// overflows, to coarser ones.
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

    /// Returns the value in units of 1/`timescale`, rounded to the nearest, halves away from zero.
    /// If the value overflows, the timescale is halved until it fits; an infinity if that does not
    /// help.
    func rounded(toTimescale timescale: Int32, flags: MediaTime.Flags, epoch: Int64) -> MediaTime {
        var scale = timescale
        while scale > 0 {
            let (quotient, remainder) = units(of: scale)
            // At least half of the divisor remains; `remainder * 2` might overflow.
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

    /// Returns the number of whole units of 1/`timescale`, without the sign, and the remainder; a
    /// nil quotient exceeds every time.
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

    /// Returns the magnitude with the sign, if it fits.
    private func value(_ magnitude: UInt128) -> Int64? {
        guard magnitude <= 1 << 63 else { return nil }
        return Int64(exactly: isNegative ? -Int128(magnitude) : Int128(magnitude))
    }

    static func greatestCommonDivisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
        var (a, b) = (a, b)
        while b != 0 {
            // Values are usually small, and 64-bit division is many times faster.
            if let small = UInt64(exactly: a), let smaller = UInt64(exactly: b) {
                return UInt128(MediaTime.greatestCommonDivisor(small, smaller))
            }
            (a, b) = (b, a % b)
        }
        return max(a, 1)
    }
}

extension ExactSeconds {
    /// Creates the product of `value / timescale` seconds and a finite factor. It is exact unless
    /// the factor is below 2^-43; then bits after the 96th binary place are rounded off, at most
    /// 1/8 of a unit of any result.
    ///
    /// - Returns: nil if the product is too large for any time.
    init?(value: Int64, timescale: Int32, times factor: Double) {
        guard factor != 0 else {
            self.init(isNegative: false, first: 0, divisor: 1)
            return
        }
        // factor = ± significand * 2^exponent, with an odd significand.
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
            // Shifts by more than the width give zero.
            significand = (significand >> (excess - 1) + 1) >> 1
        }
        self.init(
            isNegative: isNegative, first: UInt128(value.magnitude), second: significand,
            // The lowest bit, which is set, is removed first.
            divisor: UInt128(UInt32(timescale)) << min(-exponent, 96), hasLostBits: excess > 0)
    }

    /// Creates the quotient of `value / timescale` seconds and a divisor.
    ///
    /// - Returns: nil if the divisor is not between 2^-32 and 2^32 and needs more bits.
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

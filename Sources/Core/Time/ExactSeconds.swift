// SPDX-License-Identifier: Apache-2.0

/// A number of seconds that is not yet fitted into a `MediaTime`: `first * second / divisor`. The
/// product may exceed 128 bits.
///
/// All arithmetic of `MediaTime` ends with this type. The result is exact if a `MediaTime` can hold
/// it. Otherwise the result is rounded and marked as rounded, or is an infinity if it is too large.
struct ExactSeconds {
    var isNegative: Bool
    /// The first factor. The smaller of the two factors is below 2^96, so its product with a
    /// timescale fits 128 bits.
    var first: UInt128
    var second: UInt128 = 1
    /// The divisor, which is positive.
    var divisor: UInt128
    /// A Boolean value that indicates whether a factor lost its lowest bits.
    var hasLostBits = false

    /// Returns the number of whole units of 1/`timescale`, without the sign, and the remainder. The
    /// quotient is nil if it is too large for any time.
    func units(of timescale: Int32) -> (quotient: UInt128?, remainder: UInt128) {
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

    /// The number with all common factors removed.
    var inLowestTerms: ExactSeconds {
        let common = greatestCommonDivisor(first, divisor)
        let rest = divisor / common
        let other = greatestCommonDivisor(second, rest)
        return ExactSeconds(
            isNegative: isNegative, first: first / common, second: second / other,
            divisor: rest / other)
    }

    /// Returns `magnitude` with the sign of the number; nil if the result does not fit in an
    /// `Int64`.
    func value(_ magnitude: UInt128) -> Int64? {
        guard magnitude <= 1 << 63 else { return nil }
        return Int64(exactly: isNegative ? -Int128(magnitude) : Int128(magnitude))
    }
}

extension ExactSeconds {
    /// Creates the product of `value / timescale` seconds and a finite factor. The product is exact
    /// unless the factor is below 2^-43. In that case, bits after the 96th binary place are rounded
    /// off; the error is at most 1/8 of a unit of any timescale.
    ///
    /// - Returns: The product, or nil if it is too large for any time.
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
    /// - Returns: The quotient, or nil if the magnitude of the divisor is not between 2^-32 and
    ///   2^32, because the quotient then needs too many bits.
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

// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A rational number of seconds in lowest terms, with a numerator and a denominator of 128 bits.
///
/// Edits of scaled segments multiply and divide ranges. The results often fit into a `MediaTime`
/// even if the intermediate values do not. The intermediate values therefore have this type. Each
/// operation returns nil instead of a rounded result.
struct ExactSeconds: Hashable {
    private let numerator: Int128
    /// The denominator, which is positive.
    private let denominator: Int128

    /// Creates the exact value of a time; nil unless it is numeric.
    init?(_ time: MediaTime) {
        guard time.isNumeric else { return nil }
        self.init(Int128(time.value), over: Int128(time.timescale))
    }

    private init?(_ numerator: Int128, over denominator: Int128) {
        guard denominator != 0, numerator != .min, denominator != .min else { return nil }
        let divisor = Self.commonDivisor(numerator.magnitude, denominator.magnitude)
        let sign: Int128 = denominator < 0 ? -1 : 1
        self.numerator = sign * (numerator / divisor)
        self.denominator = sign * (denominator / divisor)
    }

    func plus(_ other: ExactSeconds) -> ExactSeconds? {
        let divisor = Self.commonDivisor(denominator.magnitude, other.denominator.magnitude)
        let factor = other.denominator / divisor
        guard let left = Self.product(numerator, factor),
            let right = Self.product(other.numerator, denominator / divisor),
            let common = Self.product(denominator, factor)
        else { return nil }
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? nil : ExactSeconds(sum, over: common)
    }

    func minus(_ other: ExactSeconds) -> ExactSeconds? {
        ExactSeconds(-other.numerator, over: other.denominator).flatMap { plus($0) }
    }

    /// Returns the number multiplied by `dividend / divisor`; nil if the divisor is zero.
    func scaled(by dividend: ExactSeconds, over divisor: ExactSeconds) -> ExactSeconds? {
        guard divisor.numerator != 0 else { return nil }
        let inverse = ExactSeconds(divisor.denominator, over: divisor.numerator)
        guard let ratio = inverse.flatMap({ dividend.times($0) }) else { return nil }
        return times(ratio)
    }

    /// Returns the product. The fractions are reduced crosswise first, so that an intermediate
    /// value overflows only if the result does.
    private func times(_ other: ExactSeconds) -> ExactSeconds? {
        let first = Self.commonDivisor(numerator.magnitude, other.denominator.magnitude)
        let second = Self.commonDivisor(other.numerator.magnitude, denominator.magnitude)
        guard let top = Self.product(numerator / first, other.numerator / second),
            let bottom = Self.product(denominator / second, other.denominator / first)
        else { return nil }
        return ExactSeconds(top, over: bottom)
    }

    /// Returns the number as a time, in units of 1/`timescale` if that is exact, otherwise in
    /// lowest terms; nil if no `MediaTime` can express it.
    func time(preferring timescale: Int32) -> MediaTime? {
        if timescale > 0, Int128(timescale) % denominator == 0,
            let units = Self.product(numerator, Int128(timescale) / denominator),
            let value = Int64(exactly: units)
        {
            return MediaTime(value: value, timescale: timescale)
        }
        guard let value = Int64(exactly: numerator), let scale = Int32(exactly: denominator)
        else { return nil }
        return MediaTime(value: value, timescale: scale)
    }

    private static func product(_ left: Int128, _ right: Int128) -> Int128? {
        let (product, overflows) = left.multipliedReportingOverflow(by: right)
        return overflows ? nil : product
    }

    private static func commonDivisor(_ a: UInt128, _ b: UInt128) -> Int128 {
        var (a, b) = (a, b)
        while b != 0 {
            // Numbers are usually small, and 64-bit division is many times faster.
            if var small = UInt64(exactly: a), var smaller = UInt64(exactly: b) {
                while smaller != 0 { (small, smaller) = (smaller, small % smaller) }
                return Int128(small)
            }
            (a, b) = (b, a % b)
        }
        return a == 0 || a > Int128.max.magnitude ? 1 : Int128(a)
    }
}

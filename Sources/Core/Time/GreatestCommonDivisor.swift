// SPDX-License-Identifier: Apache-2.0

/// Returns the greatest common divisor of two numbers. The result is at least 1.
func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return max(a, 1)
}

/// Returns the greatest common divisor of two numbers. The result is at least 1.
func greatestCommonDivisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
    var (a, b) = (a, b)
    while b != 0 {
        // Values are usually small, and 64-bit division is many times faster.
        if let small = UInt64(exactly: a), let smaller = UInt64(exactly: b) {
            return UInt128(greatestCommonDivisor(small, smaller))
        }
        (a, b) = (b, a % b)
    }
    return max(a, 1)
}

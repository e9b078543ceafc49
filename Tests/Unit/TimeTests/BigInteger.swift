// SPDX-License-Identifier: Apache-2.0

/// An integer of any size with schoolbook arithmetic, as a reference for the arithmetic of
/// `MediaTime`, with which it shares no code.
struct BigInteger: Comparable, CustomStringConvertible {
    /// Digits to the base 2^32, the lowest first, without leading zeros.
    private var digits: [UInt32]
    private var isNegative: Bool

    init<Source: FixedWidthInteger>(_ source: Source) {
        isNegative = source < 0
        var rest = source.magnitude
        digits = []
        while rest != 0 {
            digits.append(UInt32(truncatingIfNeeded: rest))
            rest = rest.bitWidth > 32 ? rest >> 32 : 0
        }
    }

    private init(digits: [UInt32], isNegative: Bool) {
        self.digits = digits
        while self.digits.last == 0 { self.digits.removeLast() }
        self.isNegative = isNegative && !self.digits.isEmpty
    }

    static func power(ofTwo exponent: Int) -> BigInteger {
        BigInteger(
            digits: Array(repeating: 0, count: exponent / 32) + [1 << (exponent % 32)],
            isNegative: false)
    }

    var isZero: Bool { digits.isEmpty }
    var isEven: Bool { (digits.first ?? 0) % 2 == 0 }
    var magnitude: BigInteger { BigInteger(digits: digits, isNegative: false) }
    var signum: Int { isZero ? 0 : isNegative ? -1 : 1 }

    static prefix func - (number: BigInteger) -> BigInteger {
        BigInteger(digits: number.digits, isNegative: !number.isNegative)
    }

    static func + (left: BigInteger, right: BigInteger) -> BigInteger {
        if left.isNegative == right.isNegative {
            var sum: [UInt32] = []
            var carry: UInt64 = 0
            for index in 0...max(left.digits.count, right.digits.count) {
                carry += UInt64(left.digit(index)) + UInt64(right.digit(index))
                sum.append(UInt32(truncatingIfNeeded: carry))
                carry >>= 32
            }
            return BigInteger(digits: sum, isNegative: left.isNegative)
        }
        let (large, small) =
            compareMagnitudes(left, right) >= 0 ? (left, right) : (right, left)
        var difference: [UInt32] = []
        var borrow: Int64 = 0
        for index in 0..<large.digits.count {
            borrow += Int64(large.digit(index)) - Int64(small.digit(index))
            difference.append(UInt32(truncatingIfNeeded: borrow))
            borrow >>= 32
        }
        return BigInteger(digits: difference, isNegative: large.isNegative)
    }

    static func - (left: BigInteger, right: BigInteger) -> BigInteger { left + -right }

    static func * (left: BigInteger, right: BigInteger) -> BigInteger {
        var product = [UInt32](repeating: 0, count: left.digits.count + right.digits.count)
        for (low, a) in left.digits.enumerated() {
            var carry: UInt64 = 0
            for (high, b) in right.digits.enumerated() {
                carry += UInt64(product[low + high]) + UInt64(a) * UInt64(b)
                product[low + high] = UInt32(truncatingIfNeeded: carry)
                carry >>= 32
            }
            product[low + right.digits.count] = UInt32(carry)
        }
        return BigInteger(digits: product, isNegative: left.isNegative != right.isNegative)
    }

    /// Half of an even number.
    var half: BigInteger {
        var halved = digits
        for index in halved.indices {
            halved[index] = digits[index] >> 1 | digit(index + 1) << 31
        }
        return BigInteger(digits: halved, isNegative: isNegative)
    }

    static func == (left: BigInteger, right: BigInteger) -> Bool {
        left.digits == right.digits && left.isNegative == right.isNegative
    }

    static func < (left: BigInteger, right: BigInteger) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        let order = compareMagnitudes(left, right)
        return left.isNegative ? order > 0 : order < 0
    }

    var description: String {
        (isNegative ? "-0x" : "0x")
            + digits.reversed().map { String($0, radix: 16) }.joined(separator: "_")
    }

    private func digit(_ index: Int) -> UInt32 { index < digits.count ? digits[index] : 0 }

    private static func compareMagnitudes(_ left: BigInteger, _ right: BigInteger) -> Int {
        for index in (0..<max(left.digits.count, right.digits.count)).reversed()
        where left.digit(index) != right.digit(index) {
            return left.digit(index) < right.digit(index) ? -1 : 1
        }
        return 0
    }
}

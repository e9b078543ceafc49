// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A quotient of two integers of any size: the exact value of a `MediaTime`.
struct BigRational: Comparable, CustomStringConvertible {
    let numerator: BigInteger
    /// The denominator, which is positive.
    let denominator: BigInteger

    init(_ numerator: BigInteger, over denominator: BigInteger) {
        precondition(!denominator.isZero)
        self.numerator = denominator.signum < 0 ? -numerator : numerator
        self.denominator = denominator.magnitude
    }

    init(_ whole: Int64) { self.init(BigInteger(whole), over: BigInteger(1)) }

    init(_ time: MediaTime) {
        precondition(time.isNumeric)
        self.init(BigInteger(time.value), over: BigInteger(time.timescale))
    }

    /// Creates the exact value of a finite number from its bits.
    init(double number: Double) {
        let bits = Int64(number.significandBitPattern)
        let isNormal = number.exponentBitPattern > 0
        let significand = BigInteger((isNormal ? bits | 1 << 52 : bits) * (number < 0 ? -1 : 1))
        let exponent = max(1, Int(number.exponentBitPattern)) - 1023 - 52
        if exponent >= 0 {
            self.init(significand * .power(ofTwo: exponent), over: BigInteger(1))
        } else {
            self.init(significand, over: .power(ofTwo: -exponent))
        }
    }

    static func + (left: BigRational, right: BigRational) -> BigRational {
        BigRational(
            left.numerator * right.denominator + right.numerator * left.denominator,
            over: left.denominator * right.denominator)
    }

    static prefix func - (number: BigRational) -> BigRational {
        BigRational(-number.numerator, over: number.denominator)
    }

    static func - (left: BigRational, right: BigRational) -> BigRational { left + -right }

    static func * (left: BigRational, right: BigRational) -> BigRational {
        BigRational(
            left.numerator * right.numerator, over: left.denominator * right.denominator)
    }

    static func / (left: BigRational, right: BigRational) -> BigRational {
        BigRational(
            left.numerator * right.denominator, over: left.denominator * right.numerator)
    }

    static func == (left: BigRational, right: BigRational) -> Bool {
        left.numerator * right.denominator == right.numerator * left.denominator
    }

    static func < (left: BigRational, right: BigRational) -> Bool {
        left.numerator * right.denominator < right.numerator * left.denominator
    }

    var magnitude: BigRational { BigRational(numerator.magnitude, over: denominator) }

    /// A Boolean value that indicates whether a `MediaTime` can represent it exactly, in lowest
    /// terms.
    var isRepresentable: Bool {
        // n / d = (n / g) / (d / g), compared without dividing, by the binary algorithm for g.
        let common = Self.greatestCommonDivisor(numerator.magnitude, denominator)
        return denominator <= BigInteger(Int32.max) * common
            && numerator <= BigInteger(Int64.max) * common
            && numerator >= BigInteger(Int64.min) * common
    }

    fileprivate static func greatestCommonDivisor(_ a: BigInteger, _ b: BigInteger) -> BigInteger {
        var (a, b, shift) = (a, b, 0)
        if a.isZero { return b }
        while a.isEven && b.isEven { (a, b, shift) = (a.half, b.half, shift + 1) }
        while !a.isZero {
            while a.isEven { a = a.half }
            while b.isEven { b = b.half }
            if a >= b { a = a - b } else { b = b - a }
        }
        return b * .power(ofTwo: shift)
    }

    var description: String { "\(numerator)/\(denominator)" }
}

extension BigRational {
    /// A Boolean value that indicates whether the denominator divides the numerator.
    var isWhole: Bool {
        Self.greatestCommonDivisor(numerator.magnitude, denominator) == denominator
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A rational number, in lowest terms.
public struct Fraction: Sendable, Hashable, CustomStringConvertible {
    public let numerator: Int128
    public let denominator: Int128

    public init(_ numerator: Int128, _ denominator: Int128 = 1) {
        var (a, b) = (numerator.magnitude, denominator.magnitude)
        while b != 0 { (a, b) = (b, a % b) }
        let divisor = Int128(max(a, 1))
        self.numerator = numerator / divisor
        self.denominator = denominator / divisor
    }

    public static func + (left: Fraction, right: Fraction) -> Fraction {
        Fraction(
            left.numerator * right.denominator + right.numerator * left.denominator,
            left.denominator * right.denominator)
    }

    public static func * (left: Fraction, right: Fraction) -> Fraction {
        Fraction(left.numerator * right.numerator, left.denominator * right.denominator)
    }

    public var description: String { "\(numerator)/\(denominator)" }
}

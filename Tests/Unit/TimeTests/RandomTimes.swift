// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadTime
import Testing

extension SplitMix64 {
    /// Returns random values, and those at which arithmetic fails.
    mutating func nextValue() -> Int64 {
        let edges: [Int64] = [0, 1, -1, .min, .max, .min + 1, .max - 1, 1 << 62, -(1 << 62)]
        switch Int.random(in: 0..<4, using: &self) {
        case 0: return edges.randomElement(using: &self) ?? 0
        case 1: return Int64.random(in: -100...100, using: &self)
        case 2: return Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &self)
        default: return Int64.random(in: .min ... .max, using: &self)
        }
    }

    mutating func nextTimescale() -> Int32 {
        let usual: [Int32] = [
            1, 2, 24, 25, 30, 600, 1000, 1001, 24000, 30000, 44100, 48000, 60000, 90000, 1_000_000,
            1_000_000_000, .max, .max - 1,
        ]
        return Bool.random(using: &self)
            ? usual.randomElement(using: &self) ?? 1 : Int32.random(in: 1 ... .max, using: &self)
    }

    /// Returns a factor of any size, sometimes a simple one.
    mutating func nextFactor() -> Double {
        let simple: [Double] = [
            0, 1, -1, 2, 0.5, 1.5, -0.25, 1.1, 1e-9, 1e9, 0x1p-40, 0x1p-97, 0x1p-150, 0x1p70,
            0x1p80, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .ulpOfOne,
        ]
        switch Int.random(in: 0..<3, using: &self) {
        case 0: return simple.randomElement(using: &self) ?? 1
        case 1: return Double.random(in: -4...4, using: &self)
        default:
            let exponent = Int.random(in: -130...90, using: &self)
            let significand = Double.random(in: 1..<2, using: &self)
            return Double(sign: .plus, exponent: exponent, significand: significand)
        }
    }

    mutating func nextNumber() -> MediaTime {
        MediaTime(value: nextValue(), timescale: nextTimescale())
    }

    mutating func nextTime() -> MediaTime {
        let specials: [MediaTime] = [
            .invalid, .indefinite, .positiveInfinity, .negativeInfinity, .zero,
        ]
        switch Int.random(in: 0..<8, using: &self) {
        case 0: return specials.randomElement(using: &self) ?? .zero
        case 1:
            return MediaTime(
                value: nextValue(), timescale: nextTimescale(),
                epoch: Int64.random(in: -1...2, using: &self))
        default: return nextNumber()
        }
    }
}

/// Checks that `result` is `exact`; or the nearest value, and marked as rounded, if no time can
/// represent it; or an infinity if it is too large.
///
/// - Parameter tolerance: the maximum error of a rounded result, in units of its timescale.
func expectFaithful(
    _ result: MediaTime, _ exact: BigRational, within tolerance: Double = 0.5,
    _ what: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
) {
    if result.isPositiveInfinity || result.isNegativeInfinity {
        let isTooLarge =
            exact.magnitude + BigRational(1)
            > BigRational(BigInteger(1 << 63 as UInt64), over: BigInteger(1))
        #expect(
            isTooLarge && (exact.numerator.signum > 0) == result.isPositiveInfinity,
            "\(what()) = \(exact), not \(result)", sourceLocation: sourceLocation)
        return
    }
    guard result.isNumeric else {
        Issue.record("\(what()) = \(exact), not \(result)", sourceLocation: sourceLocation)
        return
    }
    if !result.hasBeenRounded {
        #expect(
            BigRational(result) == exact, "\(what()) = \(exact), not \(result)",
            sourceLocation: sourceLocation)
        return
    }
    let error = (BigRational(result) - exact).magnitude
    let unit = BigRational(BigInteger(1), over: BigInteger(result.timescale))
    #expect(
        error <= unit * BigRational(double: tolerance), "\(what()) = \(exact), not \(result)",
        sourceLocation: sourceLocation)
    #expect(
        !exact.isRepresentable, "\(what()) = \(exact) is rounded, though it fits",
        sourceLocation: sourceLocation)
}

// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadTime
import Testing

@Suite struct MediaTimeArithmeticTests {
    private static let count = 3000

    @Test func `sums and differences are those of integers of any size`() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<Self.count {
            let (a, b) = (random.nextNumber(), random.nextNumber())
            expectFaithful(a + b, BigRational(a) + BigRational(b), "\(a) + \(b)")
            expectFaithful(a - b, BigRational(a) - BigRational(b), "\(a) - \(b)")
            #expect(a + b == b + a)
            #expect(-(a - b) == b - a || (a - b).value == .min || (b - a).value == .min)
        }
    }

    @Test func `multiples and ratios are those of integers of any size`() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<Self.count {
            let time = random.nextNumber()
            let factor = Int32(truncatingIfNeeded: random.nextValue())
            let divisor = Int32(truncatingIfNeeded: random.nextValue())
            expectFaithful(
                time * factor, BigRational(time) * BigRational(Int64(factor)), "\(time) * \(factor)"
            )
            guard divisor != 0 else {
                #expect(time.multiplied(by: factor, over: divisor) == .invalid)
                continue
            }
            expectFaithful(
                time.multiplied(by: factor, over: divisor),
                BigRational(time) * BigRational(Int64(factor)) / BigRational(Int64(divisor)),
                "\(time) * \(factor) / \(divisor)")
        }
    }

    @Test func `products with a Double take its exact value, to the last bit`() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<Self.count {
            let (time, factor) = (random.nextNumber(), random.nextFactor())
            // Very small factors are rounded: by an eighth of a unit at most.
            expectFaithful(
                time * factor, BigRational(time) * BigRational(double: factor), within: 0.625,
                "\(time) * \(factor)")
        }
    }

    @Test func `a product that lost bits of a tiny factor is marked as rounded`() {
        let time = MediaTime(value: 3 << 60, timescale: 1)
        #expect(
            !(time * 0x1p-60).hasBeenRounded && time * 0x1p-60 == MediaTime(value: 3, timescale: 1))
        #expect((time * (0x1p-60 + 0x1p-112)).hasBeenRounded)
        #expect((time * 0x1p-200).hasBeenRounded && (time * 0x1p-200).value == 0)
        #expect(!(MediaTime.zero * 0x1p-200).hasBeenRounded)
    }

    @Test func `no operation traps on any pair of times, and invalid stays invalid`() {
        var random = SplitMix64(seed: 6)
        for _ in 0..<Self.count {
            let (a, b) = (random.nextTime(), random.nextTime())
            let factor = random.nextFactor()
            let results = [
                a + b, a - b, -a, a.magnitude, a * factor, a * -.infinity, a * .nan, a * Int32.min,
                a.multiplied(by: .min, over: .min), a.multiplied(by: .max, over: -1),
                a.multiplied(by: 1, over: 0), a.folded(into: MediaTimeRange(start: b, duration: a)),
                a.clamped(to: MediaTimeRange(start: b, duration: a)),
                a.mapped(
                    from: MediaTimeRange(start: b, duration: a),
                    to: MediaTimeRange(start: a, duration: b)),
            ]
            if !a.isValid { #expect(results.allSatisfy { !$0.isValid }) }
            _ = (a.description, a.clockDescription, a.seconds, a.nanoseconds, a.hashValue)
            #expect(!(a.magnitude.isNumeric && a.magnitude.value < 0))
        }
    }

    @Test func `special times add as CMTimeAdd and CMTimeSubtract document`() {
        let one = MediaTime(value: 1, timescale: 1)
        let (plus, minus) = (MediaTime.positiveInfinity, MediaTime.negativeInfinity)
        #expect(plus + plus == plus && minus + minus == minus)
        #expect(plus + minus == .invalid && plus - plus == .invalid && minus - minus == .invalid)
        #expect(plus - minus == plus && minus - plus == minus)
        #expect(plus + one == plus && one - plus == minus && one + minus == minus)
        #expect(plus + .indefinite == plus && MediaTime.indefinite - plus == minus)
        #expect(one + .indefinite == .indefinite && MediaTime.indefinite - one == .indefinite)
        #expect(plus + .invalid == .invalid && MediaTime.invalid - .indefinite == .invalid)
    }

    @Test func `special times are multiplied as CMTimeMultiply documents`() {
        #expect(MediaTime.positiveInfinity * Int32(-3) == .negativeInfinity)
        #expect(MediaTime.negativeInfinity * -0.5 == .positiveInfinity)
        #expect(MediaTime.positiveInfinity.multiplied(by: -1, over: 2) == .negativeInfinity)
        #expect(MediaTime.positiveInfinity * 0.0 == .invalid)
        #expect(MediaTime.indefinite * 2.0 == .indefinite && MediaTime.invalid * 2.0 == .invalid)
        #expect(MediaTime(value: 3, timescale: 1) * .infinity == .positiveInfinity)
        #expect(MediaTime(value: 3, timescale: 1) * -.infinity == .negativeInfinity)
        #expect(MediaTime.zero * .infinity == .invalid && MediaTime.zero * .nan == .invalid)
    }

    @Test func `only times of one epoch, or a time and a duration, can be added`() {
        let first = MediaTime(value: 5, timescale: 1, epoch: 1)
        let second = MediaTime(value: 2, timescale: 1, epoch: 2)
        let duration = MediaTime(value: 3, timescale: 1)
        #expect((first + second) == .invalid && (first - second) == .invalid)
        #expect((first + first).epoch == 0 && (first - first).epoch == 0)
        #expect((first + duration).epoch == 1 && (duration + first).epoch == 1)
        #expect((first - duration) == MediaTime(value: 2, timescale: 1, epoch: 1))
        #expect((first * 2.0).epoch == 1 && (-first).epoch == 1)
        #expect((-first).magnitude == first)
    }

    @Test func `values that do not fit are rounded to a coarser scale, then become infinite`() {
        let huge = MediaTime(value: .max, timescale: 3)
        let sum = huge + huge
        #expect(sum.timescale == 1 && sum.hasBeenRounded && sum.value == 6_148_914_691_236_517_205)
        #expect(MediaTime(value: .max, timescale: 1) * Int32(2) == .positiveInfinity)
        #expect(MediaTime(value: .min, timescale: 1) * Int32(2) == .negativeInfinity)
        #expect(-MediaTime(value: .min, timescale: 1) == .positiveInfinity)
        let negated = -MediaTime(value: .min, timescale: 2)
        #expect(negated == MediaTime(value: 1 << 62, timescale: 1) && !negated.hasBeenRounded)
        let minusOne = MediaTime(value: -1, timescale: 1)
        #expect(
            minusOne - MediaTime(value: .min, timescale: 1)
                == MediaTime(value: .max, timescale: 1))
    }

    @Test func `results keep their timescale and are marked when rounded`() {
        let frame = MediaTime(value: 1001, timescale: 30000)
        let second = MediaTime(value: 1, timescale: 1)
        #expect((frame + second).timescale == 30000)
        #expect((frame * Int32(3)).value == 3003 && (frame * Int32(3)).timescale == 30000)
        #expect((frame * 0.5) == MediaTime(value: 1001, timescale: 60000))
        #expect(!(frame * 0.5).hasBeenRounded && !(frame * 1.5).hasBeenRounded)
        #expect((frame * 1.1).hasBeenRounded && (frame * 1.1).timescale == 1_000_000_000)
        #expect((frame * 1.1 + second).hasBeenRounded && (-(frame * 1.1)).hasBeenRounded)
        let third = MediaTime(value: 1, timescale: 2).multiplied(by: 2, over: 3)
        #expect(third.value == 2 && third.timescale == 6)
        // Exact in lowest terms, though the common timescale, 3,000,000,000, does not fit.
        let late = frame + MediaTime(nanoseconds: 1_000_000_000)
        #expect(late == MediaTime(value: 31001, timescale: 30000) && !late.hasBeenRounded)
    }

    @Test func `30,000 frames of 1001/30000 are 1001 seconds`() {
        let frame = MediaTime(value: 1001, timescale: 30000)
        var time = MediaTime.zero
        for _ in 0..<30000 { time += frame }
        #expect(time == MediaTime(value: 1001, timescale: 1) && !time.hasBeenRounded)
        for _ in 0..<30000 { time -= frame }
        #expect(time == .zero)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadTime
import Testing

@Suite struct MediaTimeConversionTests {
    @Test(arguments: MediaTime.RoundingMethod.allCases)
    func `a converted time is within one unit, on the side of the rounding method`(
        method: MediaTime.RoundingMethod
    ) {
        var random = SplitMix64(seed: 7)
        for _ in 0..<2000 {
            let time = random.nextNumber()
            let scale = random.nextTimescale()
            let result = time.converted(toTimescale: scale, method: method)
            let exact = BigRational(time)
            guard result.isNumeric else {
                let limit = BigRational(BigInteger(1 << 63 as UInt64), over: BigInteger(scale))
                #expect(exact.magnitude + BigRational(1) / BigRational(Int64(scale)) >= limit)
                #expect(result == (time.value > 0 ? .positiveInfinity : .negativeInfinity))
                continue
            }
            #expect(result.timescale == scale)
            let error = (BigRational(result) - exact) * BigRational(Int64(scale))
            #expect(error.magnitude < BigRational(1), "\(time) to \(scale): \(result)")
            #expect(result.hasBeenRounded == (error.numerator.signum != 0))
            let away = error.numerator.signum * Int(time.value.signum())
            switch method {
            case .roundHalfAwayFromZero:
                #expect(error.magnitude <= BigRational(double: 0.5))
                if error.magnitude == BigRational(double: 0.5) { #expect(away > 0) }
            case .roundTowardZero: #expect(away <= 0)
            case .roundAwayFromZero: #expect(away >= 0)
            case .roundTowardPositiveInfinity: #expect(error.numerator.signum >= 0)
            case .roundTowardNegativeInfinity: #expect(error.numerator.signum <= 0)
            case .quickTime where scale > time.timescale: #expect(away >= 0)
            case .quickTime: #expect(away <= 0 || (result.value == -1 && time.value < 0))
            }
            if method == .quickTime, time.value < 0 { #expect(result.value < 0) }
        }
    }

    @Test func `halves are rounded as each method defines`() {
        func converted(_ value: Int64, _ method: MediaTime.RoundingMethod) -> Int64 {
            MediaTime(value: value, timescale: 2).converted(toTimescale: 1, method: method).value
        }
        let expected: [(MediaTime.RoundingMethod, Int64, Int64)] = [
            (.roundHalfAwayFromZero, 1, -1), (.roundTowardZero, 0, 0), (.roundAwayFromZero, 1, -1),
            (.quickTime, 0, -1), (.roundTowardPositiveInfinity, 1, 0),
            (.roundTowardNegativeInfinity, 0, -1),
        ]
        for (method, positive, negative) in expected {
            #expect(converted(1, method) == positive && converted(-1, method) == negative)
        }
        let half = MediaTime(value: 1, timescale: 2)
        #expect(half.converted(toTimescale: 3, method: .quickTime).value == 2)
        #expect(half.converted(toTimescale: 0) == .invalid)
        #expect(MediaTime.indefinite.converted(toTimescale: 5) == .indefinite)
        #expect(MediaTime.positiveInfinity.converted(toTimescale: 0) == .positiveInfinity)
        let huge = MediaTime(value: .min, timescale: 1)
        #expect(huge.converted(toTimescale: 2) == .negativeInfinity)
    }

    @Test func `seconds become the nearest unit of the preferred timescale`() {
        var random = SplitMix64(seed: 8)
        for _ in 0..<3000 {
            let seconds = random.nextFactor()
            let scale = random.nextTimescale()
            let time = MediaTime(seconds: seconds, preferredTimescale: scale)
            guard time.isNumeric else {
                #expect(abs(seconds) >= 0x1p63)
                #expect(time == (seconds > 0 ? .positiveInfinity : .negativeInfinity))
                continue
            }
            let error = (BigRational(time) - BigRational(double: seconds)).magnitude
            #expect(error * BigRational(Int64(time.timescale)) <= BigRational(double: 0.625))
            #expect(time.hasBeenRounded == (time.seconds != seconds))
            #expect(time.timescale == scale || abs(seconds) * Double(scale) >= 0x1p62)
        }
    }

    @Test func `seconds that are not finite, and invalid timescales, give special times`() {
        #expect(MediaTime(seconds: .nan) == .invalid)
        #expect(MediaTime(seconds: .infinity) == .positiveInfinity)
        #expect(MediaTime(seconds: -.infinity) == .negativeInfinity)
        #expect(MediaTime(seconds: 1, preferredTimescale: 0) == .invalid)
        #expect(MediaTime(seconds: 1, preferredTimescale: -600) == .invalid)
        #expect(MediaTime(seconds: 1e300) == .positiveInfinity)
        #expect(MediaTime.invalid.seconds.isNaN && MediaTime.indefinite.seconds.isNaN)
        #expect(MediaTime.negativeInfinity.seconds == -.infinity)
        let exact = MediaTime(seconds: 1.5, preferredTimescale: 600)
        #expect(exact.value == 900 && exact.timescale == 600 && !exact.hasBeenRounded)
        #expect(MediaTime(seconds: 1.5, preferredTimescale: 1).hasBeenRounded)
    }

    @Test func `nanoseconds are rounded down, and nil if they do not fit`() {
        #expect(MediaTime(value: 1, timescale: 3).nanoseconds == 333_333_333)
        #expect(MediaTime(value: -1, timescale: 3).nanoseconds == -333_333_334)
        #expect(MediaTime(value: .max, timescale: 1).nanoseconds == nil)
        #expect(MediaTime(nanoseconds: .min).nanoseconds == .min)
        #expect(MediaTime.indefinite.nanoseconds == nil)
    }

    @Test func `descriptions show the seconds, the fraction and the kind of time`() {
        let time = MediaTime(value: 31001, timescale: 30000)
        #expect(time.description == "1.033367 s (31001/30000)")
        #expect(MediaTime(seconds: 0.1, preferredTimescale: 3).description == "~0.000000 s (0/3)")
        #expect(
            MediaTime(value: -1, timescale: 2, epoch: 4).description
                == "-0.500000 s (-1/2, epoch 4)")
        #expect(
            MediaTime(value: .min, timescale: 1).description
                == "-9223372036854775808.000000 s (-9223372036854775808/1)")
        #expect("\(MediaTime.positiveInfinity) \(MediaTime.indefinite)" == "+infinity indefinite")
        #expect(MediaTime(value: 3_723_004, timescale: 1000).clockDescription == "1:02:03.004")
        #expect(MediaTime(value: -61, timescale: 1).clockDescription == "-1:01.000")
    }

    @Test func `coding keeps every field, and malformed times decode as invalid`() throws {
        let times: [MediaTime] = [
            MediaTime(value: 2002, timescale: 60000, epoch: 3), .indefinite, .invalid,
            MediaTime(seconds: 0.1, preferredTimescale: 3), .negativeInfinity,
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for time in times {
            let decoded = try JSONDecoder().decode(MediaTime.self, from: encoder.encode(time))
            #expect(decoded.value == time.value && decoded.timescale == time.timescale)
            #expect(decoded.flags == time.flags && decoded.epoch == time.epoch)
        }
        let text = String(bytes: try encoder.encode(times[0]), encoding: .utf8)
        #expect(text == #"{"epoch":3,"flags":1,"timescale":60000,"value":2002}"#)
        let broken = Data(#"{"epoch":0,"flags":1,"timescale":0,"value":5}"#.utf8)
        #expect(try JSONDecoder().decode(MediaTime.self, from: broken) == .invalid)
    }
}

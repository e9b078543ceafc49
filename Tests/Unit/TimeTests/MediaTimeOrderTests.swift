// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadTime
import Testing

@Suite struct MediaTimeOrderTests {
    static let times: [MediaTime] = {
        var random = SplitMix64(seed: 1)
        var times: [MediaTime] = [
            .invalid, .indefinite, .positiveInfinity, .negativeInfinity, .zero,
            MediaTime(value: .max, timescale: 1), MediaTime(value: .min, timescale: 1),
            MediaTime(value: .max, timescale: .max), MediaTime(value: .min, timescale: .max),
            MediaTime(value: .max - 1, timescale: .max),
            MediaTime(value: .max, timescale: .max - 1),
            MediaTime(value: 1, timescale: 2), MediaTime(value: 2, timescale: 4),
            MediaTime(value: 0, timescale: 600), MediaTime(value: 1, timescale: 2, epoch: 1),
            MediaTime(value: -1, timescale: 2, epoch: 1),
            MediaTime(value: 7, timescale: 0, flags: .valid, epoch: 3),
            MediaTime(value: 7, timescale: 5, flags: [.valid, .indefinite], epoch: 3),
        ]
        for _ in 0..<50 { times.append(random.nextTime()) }
        return times
    }()

    @Test func `exactly one of <, == and > is true, and equal times have equal hashes`() {
        for a in Self.times {
            #expect(a == a)
            for b in Self.times {
                #expect([a < b, a == b, b < a].count { $0 } == 1, "\(a), \(b)")
                #expect((a == b) == (b == a))
                if a == b { #expect(a.hashValue == b.hashValue, "\(a), \(b)") }
            }
        }
    }

    @Test func `the order of times is transitive`() {
        let sorted = Self.times.sorted()
        for low in sorted.indices {
            for high in low..<sorted.count {
                #expect(!(sorted[high] < sorted[low]), "\(sorted[low]), \(sorted[high])")
            }
        }
    }

    @Test func `times of one epoch are ordered like cross-multiplied integers`() {
        var random = SplitMix64(seed: 2)
        for _ in 0..<4000 {
            let (a, b) = (random.nextNumber(), random.nextNumber())
            #expect((a < b) == (BigRational(a) < BigRational(b)), "\(a), \(b)")
            #expect((a == b) == (BigRational(a) == BigRational(b)), "\(a), \(b)")
        }
        // Neighbours that Double cannot distinguish.
        let a = MediaTime(value: .max - 1, timescale: .max)
        let b = MediaTime(value: .max - 2, timescale: .max)
        #expect(b < a && a.seconds == b.seconds)
    }

    @Test func `special times and epochs are ordered as by CMTimeCompare`() {
        let late = MediaTime(value: -5, timescale: 1, epoch: 1)
        let ordered: [MediaTime] = [
            .negativeInfinity, MediaTime(value: .min, timescale: 1), .zero,
            MediaTime(value: .max, timescale: 1), late, .indefinite, .positiveInfinity, .invalid,
        ]
        #expect(ordered.shuffled().sorted() == ordered)
        #expect(MediaTime(value: 1, timescale: 0) == .invalid)
        #expect(min(late, .zero) == .zero && max(late, .zero) == late)
    }

    @Test func `a rounded time equals an exact one of the same value`() {
        let rounded = MediaTime(
            value: 1, timescale: 2, flags: [.valid, .hasBeenRounded], epoch: 0)
        #expect(rounded == MediaTime(value: 2, timescale: 4))
        #expect(Set([rounded, MediaTime(value: 2, timescale: 4)]).count == 1)
    }

    @Test func `malformed times are invalid and do not trap`() {
        for timescale in [0, -1, Int32.min] {
            let time = MediaTime(value: .min, timescale: timescale, flags: .valid, epoch: 0)
            #expect(!time.isValid && !time.isNumeric && time == .invalid)
            #expect(time.seconds.isNaN && time.nanoseconds == nil)
            #expect(!(time + .zero).isValid && !(-time).isValid && !(time * 2.5).isValid)
            #expect(time.description == "invalid" && time.clockDescription == "--:--")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

@Suite struct AudioPlacementTests {
    private typealias Step = AudioPlacement.Step

    private static func time(_ sample: Int64) -> MediaTime {
        MediaTime(value: sample, timescale: 48_000)
    }

    /// Returns the steps for frames of 1024 samples with these timestamps, in samples.
    private func steps(
        _ stamps: [Int64?], from beginning: AudioPlacement.Beginning = .firstStamp(fallback: .zero),
        grid: AudioPlacement.Grid? = nil
    ) -> [Step] {
        var placement = AudioPlacement(sampleRate: 48_000, beginning: beginning, grid: grid)
        var steps: [Step] = []
        for stamp in stamps {
            steps += placement.add(stamp: stamp.map(Self.time) ?? .invalid, count: 1024)
        }
        return steps + placement.finish()
    }

    private func taken(_ steps: [Step]) -> Int {
        steps.reduce(0) { count, step in
            if case .take(let more) = step { count + more } else { count }
        }
    }

    private func beginnings(_ steps: [Step]) -> [MediaTime] {
        steps.compactMap { step in if case .begin(let time) = step { time } else { nil } }
    }

    private func row(_ count: Int, from start: Int64 = 0) -> [Int64] {
        (0..<Int64(count)).map { start + 1024 * $0 }
    }

    @Test func `stamps that deviate and return neither cut nor pad`() {
        for deviation in [448, -500, 5000, -30_000] as [Int64] {
            var stamps = row(100)
            for index in [3, 10, 11, 40] { stamps[index] += deviation }
            let steps = steps(stamps)
            #expect(beginnings(steps) == [.zero])
            #expect(taken(steps) == 100)
        }
    }

    @Test func `stamps that are rounded to a millisecond neither cut nor pad`() {
        let steps = steps(row(1000).map { $0 / 48 * 48 })
        #expect(beginnings(steps) == [.zero])
        #expect(taken(steps) == 1000)
    }

    @Test(arguments: [20_000, 48_000 * 60, -20_000, 250] as [Int64])
    func `a gap or an overlap is honoured at its first frame`(gap: Int64) {
        let stamps = row(50) + row(50, from: 50 * 1024 + gap)
        let steps = steps(stamps)
        #expect(beginnings(steps) == [.zero, Self.time(50 * 1024 + gap)])
        #expect(taken(steps) == 100)
        var count = 0
        for step in steps.dropFirst() {
            if case .take(let more) = step { count += more } else { break }
        }
        #expect(count == 50)
    }

    @Test func `frames without stamps follow`() {
        let steps = steps([0, nil, nil, 3 * 1024, nil])
        #expect(beginnings(steps) == [.zero])
        #expect(taken(steps) == 5)
    }

    @Test func `no frame waits longer than a tenth of a second and three frames`() {
        var placement = AudioPlacement(
            sampleRate: 48_000, beginning: .firstStamp(fallback: .zero))
        _ = placement.add(stamp: .zero, count: 1024)
        var held = 0
        for index in 1..<100 {
            // Timestamps that agree with nothing, not even with each other.
            let stamp = Self.time(Int64(index * 1024) + (index % 2 == 0 ? 9000 : -7000))
            held += 1 - taken(placement.add(stamp: stamp, count: 1024))
            #expect(held <= 5)
        }
    }

    @Test func `frames of a sample each, at a high rate, do not pile up`() {
        for beginning in [
            AudioPlacement.Beginning.firstStamp(fallback: .zero), .median(fallback: .zero),
        ] {
            var placement = AudioPlacement(sampleRate: 768_000, beginning: beginning)
            var steps: [Step] = []
            for number in 0..<3000 {
                steps += placement.add(
                    stamp: MediaTime(value: Int64(number), timescale: 50), count: 1)
            }
            #expect(taken(steps) >= 2000)
            #expect(taken(steps + placement.finish()) == 3000)
        }
    }

    @Test func `after a seek most stamps outvote the first ones`() {
        var stamps = row(20, from: 480_000)
        stamps[0] += 4608
        stamps[1] += 4608
        let steps = steps(stamps, from: .median(fallback: .zero))
        #expect(beginnings(steps).first == Self.time(480_000))
        #expect(taken(steps) == 20)
    }

    @Test func `after a seek rounded stamps lead to the sample that counting leads to`() {
        let grid = AudioPlacement.Grid(
            origin: .zero, step: 1024, rounding: MediaTime(value: 3, timescale: 2000))
        for first in stride(from: 100, to: 2000, by: 77) as StrideTo<Int64> {
            let stamps = row(20, from: first * 1024).map { $0 / 48 * 48 }
            let steps = steps(stamps, from: .median(fallback: .zero), grid: grid)
            #expect(beginnings(steps) == [Self.time(first * 1024)])
        }
    }

    /// Vorbis at 48 kHz has frames of 1024, 576 and 128 samples, and positions 64 samples apart:
    /// 1.3 times the millisecond that Matroska counts.
    @Test(arguments: [0, 23, 24, 47])
    func `however stamps are rounded, a fine grid leads to the right sample`(added: Int64) {
        let grid = AudioPlacement.Grid(
            origin: .zero, step: 64, rounding: MediaTime(value: 3, timescale: 2000))
        let counts = [1024, 1024, 1024, 576, 128, 128, 128, 576, 1024, 1024, 1024]
        for first in stride(from: 64 * 1000, to: 64 * 1200, by: 64) as StrideTo<Int64> {
            var placement = AudioPlacement(
                sampleRate: 48_000, beginning: .median(fallback: .zero), grid: grid)
            var position = first
            var steps: [AudioPlacement.Step] = []
            for count in counts {
                steps += placement.add(
                    stamp: Self.time((position + added) / 48 * 48), count: count)
                position += Int64(count)
            }
            #expect(beginnings(steps) == [Self.time(first)])
        }
    }

    @Test func `what lies off the grid keeps its stamps`() {
        let grid = AudioPlacement.Grid(
            origin: .zero, step: 1024, rounding: MediaTime(value: 3, timescale: 2000))
        let steps = steps(
            row(20, from: 100 * 1024 + 480), from: .median(fallback: .zero), grid: grid)
        #expect(beginnings(steps) == [Self.time(100 * 1024 + 480)])
    }

    @Test func `a stream that ends while frames are held loses none`() {
        let steps = steps(row(3, from: 1000), from: .median(fallback: .zero))
        #expect(steps == [.begin(Self.time(1000)), .take(3)])
        #expect(taken(self.steps(row(10) + [10 * 1024 + 448])) == 11)
    }
}

// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import Testing

@testable import PlayheadScreens

@Suite("Pacing of screens") struct FramePacerTests {
    private static let second: Int64 = 1_000_000_000
    private static let period: Int64 = 33_333_333

    /// Returns the times of the frames that are delivered if drawing is reported at the given
    /// times, and the last frame is not repeated.
    private func paced(_ drawings: [Int64], until end: Int64) -> [Int64] {
        var pacer = FramePacer(periodNanoseconds: Self.period)
        var times: [Int64] = []
        var isWaiting = false
        for drawing in drawings + [end] {
            if isWaiting, pacer.isDue(at: drawing) {
                times.append(pacer.nextTime)
                pacer.note(pacer.nextTime, deliveredAt: pacer.nextTime)
                isWaiting = false
            }
            if pacer.isDue(at: drawing) {
                times.append(drawing)
                pacer.note(drawing, deliveredAt: drawing)
            } else {
                isWaiting = true
            }
        }
        return times
    }

    @Test func `of frames that come too early, the last one waits until the period has passed`() {
        let start = 5 * Self.second
        #expect(
            paced([start, start + 160_000, start + 320_000], until: start + Self.second)
                == [start, start + Self.period, start + Self.second])
    }

    @Test func `frames at the rate keep their times`() {
        let times = (0..<100).map { Self.second + Int64($0) * Self.period }
        #expect(paced(times, until: Self.second * 10).dropLast() == times[...])
    }

    @Test func `one late frame does not delay those after it`() {
        let late = Self.period / 3
        let times = (0..<10).map { Self.second + Int64($0) * Self.period + ($0 == 4 ? late : 0) }
        #expect(paced(times, until: Self.second * 10).dropLast() == times[...])
    }

    @Test func `whenever something is drawn, frames are half a period apart, and at the rate`() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<30 {
            var time = Self.second
            let drawings = (0..<60).map { _ in
                time += Int64.random(in: 1...(Self.period * 2), using: &random)
                return time
            }
            let times = paced(drawings, until: time + Self.second)
            for (first, second) in zip(times, times.dropFirst()) {
                #expect(second - first >= Self.period / 2)
            }
            for (index, first) in times.enumerated() {
                for (count, later) in times[index...].enumerated().dropFirst() {
                    #expect(later - first >= (Int64(count) - 1) * Self.period + Self.period / 2)
                }
            }
        }
    }

    @Test(arguments: [30, 1, 0.1])
    func `an unchanged frame is due again after a second, but no faster than the rate`(
        rate: Double
    ) throws {
        let period = Int64(1e9 / rate)
        var pacer = FramePacer(periodNanoseconds: period)
        #expect(pacer.repetitionTime == nil)
        pacer.note(Self.second, deliveredAt: Self.second)
        let again = try #require(pacer.repetitionTime)
        #expect(again == Self.second + max(period, Self.second))
        #expect(pacer.isDue(at: again))
        // A new frame keeps its distance from the one that was repeated.
        pacer.note(again, deliveredAt: again)
        #expect(!pacer.isDue(at: again + period / 4))
        #expect(pacer.isDue(at: again + period))
    }
}

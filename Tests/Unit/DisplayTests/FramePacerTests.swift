// SPDX-License-Identifier: Apache-2.0

import PlayheadDisplay
import PlayheadTime
import Testing

@Suite struct FramePacerTests {
    /// A second in tenths of a millisecond: times of frames and vsyncs are whole numbers.
    private let period: Int64 = 10_000_000

    private func tick(_ sequence: Int64) -> DisplayTick {
        DisplayTick(
            timestamp: MediaTime(nanoseconds: sequence * period),
            targetTimestamp: MediaTime(nanoseconds: (sequence + 1) * period),
            duration: MediaTime(nanoseconds: period), sequence: sequence, source: .manual)
    }

    /// Shows frames `interval` apart, from `start` on, on 100 Hz; returns the vsync of each.
    private func vsyncs(
        start: Int64, interval: Int64, count: Int64, pacer: inout FramePacer,
        jitter: (Int64) -> Int64 = { _ in 0 }
    ) -> [Int64] {
        var result: [Int64] = []
        var sequence: Int64 = 0
        while Int64(result.count) < count {
            let tick = tick(sequence)
            let moment = pacer.samplingTime(for: tick).nanoseconds ?? 0
            let picture = (moment - start).quotientAndRemainder(dividingBy: interval).quotient
            while moment >= start, Int64(result.count) <= picture {
                let due = start + Int64(result.count) * interval
                result.append(sequence + 1)
                pacer.notePicture(
                    dueAt: MediaTime(nanoseconds: due + jitter(sequence)), in: tick)
            }
            sequence += 1
        }
        return result
    }

    private func steps(_ vsyncs: [Int64]) -> [Int64] {
        zip(vsyncs, vsyncs.dropFirst()).map { $1 - $0 }
    }

    @Test(arguments: [0, 49, 51, 99])
    func `a frame is shown in the vsync that is nearest to its time`(percent: Int64) {
        var pacer = FramePacer()
        let start = 5 * period + percent * period / 100
        let shown = vsyncs(start: start, interval: 4 * period, count: 1, pacer: &pacer)
        #expect(shown == [percent < 50 ? 5 : 6])
    }

    @Test func `at 2.5 vsyncs per frame, two and three alternate despite jitter`() {
        for start in stride(from: Int64(0), to: period, by: 500_000) {
            var pacer = FramePacer()
            var generator = Generator(seed: UInt64(start) + 1)
            let shown = vsyncs(
                start: 20 * period + start, interval: period * 5 / 2, count: 2_000, pacer: &pacer,
                jitter: { _ in Int64(generator.next() % 400_000) - 200_000 })
            // The first frames determine where the others begin.
            let steps = steps(Array(shown.dropFirst(4)))
            #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 + $1 == 5 }, "start \(start)")
        }
    }

    @Test func `if video and display drift apart, frames slip once and never back`() {
        var pacer = FramePacer()
        // A frame lasts slightly more than a vsync: 1,000 frames take 1,001 vsyncs.
        let shown = vsyncs(
            start: 20 * period, interval: period + period / 1000, count: 10_000, pacer: &pacer)
        let steps = steps(Array(shown.dropFirst(4)))
        #expect(steps.allSatisfy { $0 == 1 || $0 == 2 })
        #expect((9...11).contains(steps.count { $0 == 2 }))
    }

    /// 25 frames a second on 59.94 Hz, 23.976 on 75, 25 on 144.
    @Test(arguments: [23_976, 31_281, 57_600])
    func `while patterns drift, frames last equally many vsyncs, or one more`(tenThousandths: Int64)
    {
        for start in stride(from: Int64(0), to: period, by: 1_250_000) {
            var pacer = FramePacer()
            let shown = vsyncs(
                start: 20 * period + start, interval: period * tenThousandths / 10_000,
                count: 2_000, pacer: &pacer)
            // The first frames determine where the others begin.
            let settled = shown.dropFirst(20)
            for length in 1...10 {
                let seen = Set(zip(settled, settled.dropFirst(length)).map { $1 - $0 })
                let least = Int64(length) * tenThousandths / 10_000
                #expect(seen.isSubset(of: [least, least + 1]), "\(length) from \(start)")
            }
        }
    }

    @Test func `the sampling time is constant if frames begin at all phases`() {
        func offset(after count: Int64) -> Double {
            var pacer = FramePacer()
            _ = vsyncs(
                start: 20 * period, interval: period * 1618 / 1000, count: count, pacer: &pacer)
            return pacer.offset
        }
        #expect(offset(after: 20) == offset(after: 500))
    }

    @Test func `the slot of a frame is the vsync that samples it`() {
        var pacer = FramePacer()
        let tick = tick(9)
        for due in stride(from: 9 * period, to: 11 * period, by: 1_428_571) {
            let slot = pacer.slot(forHostTime: MediaTime(nanoseconds: due), in: tick)
            let distance = (slot - MediaTime(nanoseconds: due)).nanoseconds ?? 0
            #expect(abs(distance) <= period / 2 + period / 50)
        }
        pacer.notePicture(dueAt: MediaTime(nanoseconds: 10 * period + period / 2), in: tick)
        #expect(pacer.offset != 0.5)
    }
}

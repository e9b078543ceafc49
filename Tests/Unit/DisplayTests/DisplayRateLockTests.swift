// SPDX-License-Identifier: Apache-2.0

import PlayheadDisplay
import PlayheadTime
import Testing

@Suite struct DisplayRateLockTests {
    @Test(
        arguments: [
            (24000.0 / 1001, 24.0, 1001.0 / 1000, 1), (24000.0 / 1001, 60, 1001.0 / 1000, 2),
            (25, 60, 1, 5), (30000.0 / 1001, 60, 1001.0 / 1000, 1), (59.94, 60, 60 / 59.94, 1),
            (60, 59.94, 59.94 / 60, 1), (24, 24, 1, 1), (25, 24, 1, 1), (24, 25, 1, 1),
            (60, 144, 1, 5), (50, 60, 1, 5),
        ] as [(Double, Double, Double, Int)])
    func `a video's rate is changed by less than half a percent, if that helps`(
        film: Double, display: Double, expected: Double, pictures: Int
    ) {
        let (factor, count) = DisplayRateLock.factor(
            frameDuration: 1 / film, period: 1 / display)
        #expect(abs(factor - expected) < 1e-9)
        #expect(count == pictures)
        #expect(abs(factor - 1) < DisplayRateLock.limit)
    }

    @Test func `errors of the estimated period do not add up to a slip`() {
        // The display has 60 Hz; the estimate is lower by a hundred thousandth.
        let (period, thought) = (1e9 / 60, 1e9 / 60 * 1.00001)
        let frame = MediaTime(value: 1001, timescale: 60000)
        var lock = DisplayRateLock()
        var (rate, itemTime, worst) = (1.0, 0.3 / 60, 0.0)
        var due = 0.0
        for vsync in 0..<(60 * 3600) {
            let now = Double(vsync) * period
            let tick = DisplayTick(
                timestamp: MediaTime(nanoseconds: Int64(now)),
                targetTimestamp: MediaTime(nanoseconds: Int64(now + period)),
                duration: MediaTime(nanoseconds: Int64(thought)), sequence: Int64(vsync),
                source: .simulated)
            let picture = (itemTime / frame.seconds).rounded(.down)
            due = now - (itemTime - picture * frame.seconds) / rate * 1e9
            lock.notePicture(dueAt: MediaTime(nanoseconds: Int64(due)), in: tick)
            if let factor = lock.update(frameDuration: frame, rate: 1, tick: tick) {
                rate = factor
            }
            if vsync > 120 {
                let phase = (now - due) / period
                worst = max(worst, abs(phase - 0.3))
            }
            itemTime += period / 1e9 * rate
        }
        #expect(worst < 0.2, "an hour: at most \(worst) of a vsync off")
        #expect(abs(rate - 1.001) < 1e-4)
    }
}

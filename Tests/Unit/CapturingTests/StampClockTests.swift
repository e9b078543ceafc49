// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadCapturing

/// The host times of stamps: as they are, unless their clock leaves the host clock.
@Suite struct StampClockTests {
    /// Delays of arrivals from 1 to 5 ms, the same on every run.
    private struct Delays {
        var state: UInt64 = 1

        mutating func next() -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return 1_000_000 + Int64(state >> 33) % 4_000_000
        }
    }

    private static let period: Int64 = 33_333_333

    @Test func `stamps of the host clock are taken as they are for an hour`() {
        var (clock, delays) = (StampClock(), Delays())
        for number in 0..<108_000 {
            let stamp = Int64(number) * Self.period
            let time = clock.time(stamp: stamp, arrival: stamp + delays.next())
            guard time == stamp else {
                Issue.record("\(time) for \(stamp)")
                return
            }
        }
    }

    @Test(arguments: [200.0, -200, 30])
    func `stamps of another crystal are corrected`(ppm: Double) {
        var (clock, delays) = (StampClock(), Delays())
        var worst = 0.0
        var last = Int64.min
        for number in 0..<108_000 {
            let true_ = Int64(number) * Self.period
            let stamp = true_ + Int64((Double(true_) * ppm * 1e-6).rounded())
            let time = clock.time(stamp: stamp, arrival: true_ + delays.next())
            #expect(time > last)
            last = time
            worst = max(worst, abs(Double(time - true_)))
        }
        #expect(worst < 15e6, "\(worst) ns")
    }

    /// The clock of a device jumps ahead and back, for less than a window and for longer, by more
    /// and by less than what is certainly another clock.
    @Test(arguments: [3.0, -5, 9.5, -9.5, 60, -60, 0.3])
    func `times follow the arrivals while the clock of the stamps is wrong`(jump: Double) {
        var (clock, delays) = (StampClock(), Delays())
        var last = Int64.min
        for number in 0..<1800 {
            let true_ = Int64(number) * Self.period
            let isWrong = (300..<330).contains(number) || (600..<1200).contains(number)
            let stamp = true_ + (isWrong ? Int64(jump * 1e9) : 0)
            let time = clock.time(stamp: stamp, arrival: true_ + delays.next())
            #expect(time > last)
            last = time
            // At most as late as the arrival, or 1 ms later than the frame before.
            #expect((true_...true_ + 6_000_000).contains(time), "\(time - true_) ns at \(number)")
        }
    }

    @Test func `a longer exposure is not taken for a drift`() {
        var (clock, delays) = (StampClock(), Delays())
        for number in 0..<30_000 {
            let stamp = Int64(number) * Self.period
            // From the 400th second on, frames arrive 25 ms later after the start of their
            // exposure.
            let exposure: Int64 = number < 12_000 ? 5_000_000 : 30_000_000
            let time = clock.time(stamp: stamp, arrival: stamp + exposure + delays.next())
            guard time == stamp else {
                Issue.record("\(time) for \(stamp)")
                return
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadDisplay
import PlayheadTime
import Testing

@Suite struct VsyncEstimatorTests {
    static let rates: [Double] = [
        24_000.0 / 1001, 24, 25, 30, 50, 60_000.0 / 1001, 60, 75, 100, 120, 144, 165, 240, 360,
    ]

    /// Feeds an estimator `count` vsyncs of a display and calls `check` after each with the count
    /// and the vsync's true time.
    static func run(
        _ estimator: inout VsyncEstimator, count: Int, rate: Double, jitter: Double = 0,
        missed: Double = 0, outliers: Double = 0, drift: Double = 0, seed: UInt64,
        from start: Double = 5e14,
        check: (VsyncEstimator, Int64, Double) -> Void
    ) {
        var generator = Generator(seed: seed)
        let period = 1e9 / rate
        for n in 0..<count {
            if n > 0, Double.random(in: 0..<1, using: &generator) < missed { continue }
            let elapsed = Double(n) * period
            let time = start + elapsed + 0.5 * drift * elapsed * elapsed / 1e9
            var reported = time + jitter * Double.random(in: -1...1, using: &generator)
            if n > 0, Double.random(in: 0..<1, using: &generator) < outliers {
                reported += period * Double.random(in: -0.5...0.5, using: &generator)
            }
            estimator.add(count: Int64(n), nanoseconds: Int64(reported))
            check(estimator, Int64(n), time)
        }
    }

    @Test(arguments: rates)
    func `exact reports are reproduced to the nanosecond, whatever the nominal rate`(rate: Double) {
        var estimator = VsyncEstimator(
            nominalPeriod: MediaTime(value: 1, timescale: Int32(rate.rounded(.down))))
        Self.run(&estimator, count: 2000, rate: rate, seed: 1) { estimator, count, time in
            guard count > 300 else { return }
            #expect(abs(Double(estimator.nanoseconds(of: count)) - time) < 100)
        }
        #expect(abs(estimator.period * rate / 1e9 - 1) < 1e-9)
    }

    @Test(arguments: rates, [UInt64(1), 2, 3])
    func `predictions advance by one period to microseconds under a virtual display's jitter`(
        rate: Double, seed: UInt64
    ) {
        // ±0.6 ms is the jitter of Xvfb's millisecond timer at 60 Hz.
        let jitter = min(600_000, 0.04e9 / rate)
        let period = 1e9 / rate
        var estimator = VsyncEstimator(
            nominalPeriod: MediaTime(value: 1, timescale: Int32(rate.rounded())))
        var worstStep = 0.0
        var worstError = 0.0
        var last: Int64?
        Self.run(&estimator, count: 3000, rate: rate, jitter: jitter, seed: seed) {
            estimator, count, time in
            let next = estimator.nanoseconds(of: count + 1)
            if let last {
                #expect(next > last)
                if count > 600 {
                    worstStep = max(worstStep, abs(Double(next - last) - period))
                    worstError = max(worstError, abs(Double(next) - time - period))
                }
            }
            last = next
        }
        // A residual is at most the jitter; 1/256 of it and of its share in the period are visible.
        #expect(worstStep < jitter / 100)
        #expect(worstError < jitter / 4)
    }

    @Test(arguments: rates, [UInt64(4), 5])
    func `missed vsyncs and outliers do not change the estimate`(rate: Double, seed: UInt64) {
        let period = 1e9 / rate
        var estimator = VsyncEstimator(
            nominalPeriod: MediaTime(value: 1, timescale: Int32(rate.rounded())))
        var last: (count: Int64, time: Int64)?
        Self.run(
            &estimator, count: 4000, rate: rate, jitter: period / 100, missed: 0.2,
            outliers: 0.05, seed: seed
        ) { estimator, count, time in
            let now = estimator.nanoseconds(of: count)
            if let last {
                #expect(now > last.time)
                if count > 800 {
                    let step = Double(now - last.time) / Double(count - last.count)
                    #expect(abs(step - period) < period / 1000)
                    #expect(abs(Double(now) - time) < period / 100)
                }
            }
            last = (count, now)
        }
        #expect(abs(estimator.period / period - 1) < 1e-4)
    }

    @Test(arguments: [60.0, 144])
    func `the slow drift of two quartz clocks is followed`(rate: Double) {
        var estimator = VsyncEstimator(
            nominalPeriod: MediaTime(value: 1, timescale: Int32(rate)))
        // An acceleration of a tenth of a millionth per second is more than that of a warming
        // crystal.
        Self.run(
            &estimator, count: 40_000, rate: rate, jitter: 20_000, drift: 1e-7, seed: 6
        ) { estimator, count, time in
            guard count > 2000 else { return }
            #expect(abs(Double(estimator.nanoseconds(of: count)) - time) < 20_000)
        }
    }

    @Test(arguments: [(60.0, 144.0), (144.0, 60.0), (60.0, 24.0), (24.0, 360.0)])
    func `a new mode is detected within a dozen vsyncs, and time never runs back`(
        from: Double, to: Double
    ) {
        var estimator = VsyncEstimator(
            nominalPeriod: MediaTime(value: 1, timescale: Int32(from)))
        var time = 7e13
        var last = Int64.min
        for count in 0..<1000 {
            time += 1e9 / (count < 500 ? from : to)
            estimator.add(count: Int64(count), nanoseconds: Int64(time))
            let next = estimator.nanoseconds(of: Int64(count) + 1)
            #expect(next >= last)
            last = next
            if count > 560 { #expect(abs(estimator.period * to / 1e9 - 1) < 1e-3) }
            // Predictions that ran ahead at the old rate are held until real time has caught up.
            if count > 512 + Int(10 * to / from) {
                #expect(abs(Double(next) - time - 1e9 / to) < 1e6)
            }
        }
    }

    @Test func `a shift of the phase is followed, with the same period`() {
        var estimator = VsyncEstimator(nominalPeriod: MediaTime(value: 1, timescale: 60))
        for count in 0..<1000 {
            let shift = count < 500 ? 0.0 : 6e6
            estimator.add(
                count: Int64(count), nanoseconds: Int64(1e12 + shift + Double(count) * 1e9 / 60))
        }
        #expect(abs(estimator.period * 60 / 1e9 - 1) < 1e-6)
        let expected = 1e12 + 6e6 + 1000 * 1e9 / 60
        #expect(abs(Double(estimator.nanoseconds(of: 1000)) - expected) < 1000)
    }

    @Test func `a pause of a minute does not change the estimate`() {
        var estimator = VsyncEstimator(nominalPeriod: MediaTime(value: 1, timescale: 60))
        let period = 1e9 / 59.94
        for count in Array(0..<600) + Array(4200..<4800) {
            estimator.add(count: Int64(count), nanoseconds: Int64(3e13 + Double(count) * period))
            if count > 600 {
                let error =
                    Double(estimator.nanoseconds(of: Int64(count) + 1))
                    - (3e13 + Double(count + 1) * period)
                #expect(abs(error) < 10_000)
            }
        }
    }

    @Test func `the fit restarts if the count does`() {
        var estimator = VsyncEstimator(nominalPeriod: MediaTime(value: 1, timescale: 50))
        estimator.add(count: 1000, nanoseconds: 1_000_000_000)
        estimator.add(count: 3, nanoseconds: 2_000_000_000)
        #expect(estimator.lastCount == 3)
        #expect(estimator.nanoseconds(of: 4) == 2_020_000_000)
    }

    @Test func `a vsync reported twice counts once`() {
        var estimator = VsyncEstimator(nominalPeriod: MediaTime(value: 1, timescale: 50))
        estimator.add(count: 1, nanoseconds: 1_000_000_000)
        estimator.add(count: 1, nanoseconds: 1_010_000_000)
        #expect(estimator.observations == 1)
        #expect(estimator.nanoseconds(of: 1) == 1_000_000_000)
    }
}

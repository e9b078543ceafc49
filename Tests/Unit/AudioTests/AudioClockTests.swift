// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Testing

@testable import PlayheadAudio

/// An audio device with a known crystal and known readings.
private struct SimulatedDevice {
    var random = SplitMix64(seed: 1)
    /// The drift relative to the host clock, in parts per million.
    var drift: Double
    /// The largest error of a reading's host time, in nanoseconds; uniformly distributed.
    var jitter: Int64
    /// The host time at which the device starts.
    var start: Int64 = 1_000_000_000

    /// Returns the amount played at a host time.
    func heard(at hostTime: Int64) -> Double {
        Double(hostTime - start) * (1 + drift * 1e-6)
    }

    mutating func reading(at hostTime: Int64) -> (deviceTime: Int64, hostTime: Int64) {
        let error = jitter == 0 ? 0 : Int64.random(in: -jitter...jitter, using: &random)
        return (Int64(heard(at: hostTime).rounded()), hostTime + error)
    }
}

private let vsync: Int64 = 16_666_667

@Suite struct AudioClockTests {
    private func time(_ clock: AudioClock, _ host: Int64) -> Int64 {
        clock.time(atHostTime: MediaTime(nanoseconds: host)).nanoseconds ?? .min
    }

    @Test func `without readings the audio clock reads host time`() {
        let clock = AudioClock()
        for host: Int64 in [0, 5, 1_000_000_000, -3] {
            #expect(time(clock, host) == host)
            #expect(clock.hostTime(at: MediaTime(nanoseconds: host)).nanoseconds == host)
        }
    }

    @Test(arguments: [-300.0, -50, 0, 50, 300], [0, 500_000, 2_000_000] as [Int64])
    func `the audio clock advances evenly from vsync to vsync and never runs back`(
        drift: Double, jitter: Int64
    ) {
        var device = SimulatedDevice(drift: drift, jitter: jitter)
        let clock = AudioClock()
        clock.beginRun()
        var offset: Int64 = 0
        var last = time(clock, device.start + vsync)
        var worstStep = 0.0
        var worstPhase = 0.0
        for frame in 1...(60 * 60) {
            let host = device.start + Int64(frame) * vsync
            if frame % 6 == 0 {
                let reading = device.reading(at: host)
                offset = clock.addReading(
                    deviceTime: reading.deviceTime, hostTime: reading.hostTime)
            }
            let now = time(clock, host + vsync)
            #expect(now > last)
            if frame > 60 * 20 {
                let ideal = Double(vsync) * (1 + drift * 1e-6)
                worstStep = max(worstStep, abs(Double(now - last) - ideal))
                let truth = device.heard(at: host + vsync) + Double(offset)
                worstPhase = max(worstPhase, abs(Double(now) - truth))
            }
            last = now
        }
        // Jitter of 2 ms is four times the limit for which the loop is designed.
        #expect(worstStep < (jitter > 500_000 ? 8_000 : 2_000), "\(worstStep) ns")
        #expect(worstPhase < (jitter > 500_000 ? 1_000_000 : 250_000), "\(worstPhase) ns")
        #expect(abs(clock.drift * 1e6 - drift) < 30)
    }

    @Test func `the first seconds of a run are smooth`() {
        var device = SimulatedDevice(drift: 120, jitter: 500_000)
        let clock = AudioClock()
        clock.beginRun()
        var last = time(clock, device.start + vsync)
        for frame in 1...120 {
            let host = device.start + Int64(frame) * vsync
            let reading = device.reading(at: host)
            clock.addReading(deviceTime: reading.deviceTime, hostTime: reading.hostTime)
            let now = time(clock, host + vsync)
            #expect(abs(now - last - vsync) < 30_000, "\(now - last - vsync) ns at \(frame)")
            last = now
        }
    }

    @Test
    func `without readings the clock continues at the last rate, and a new run does not move it`() {
        var device = SimulatedDevice(drift: 200, jitter: 300_000)
        let clock = AudioClock()
        clock.beginRun()
        for tick in 1...600 {
            let reading = device.reading(at: device.start + Int64(tick) * 100_000_000)
            clock.addReading(deviceTime: reading.deviceTime, hostTime: reading.hostTime)
        }
        let pause = device.start + 61_000_000_000
        let before = time(clock, pause)
        let later = pause + 10_000_000_000
        #expect(abs(Double(time(clock, later) - before) - 1e10 * (1 + 200e-6)) < 300_000)
        let expected = time(clock, later)
        clock.beginRun()
        let offset = clock.addReading(deviceTime: 0, hostTime: later)
        #expect(abs(time(clock, later) - expected) <= 1)
        #expect(abs(offset - expected) <= 1)
    }

    @Test func `a device that stopped for a while is anchored to the clock again`() {
        var device = SimulatedDevice(drift: 0, jitter: 100_000)
        let clock = AudioClock()
        clock.beginRun()
        var offset: Int64 = 0
        var last: Int64 = .min
        for tick in 1...400 {
            let host = device.start + Int64(tick) * 100_000_000
            let stop: Int64 = tick > 200 ? 300_000_000 : 0
            let reading = device.reading(at: host)
            offset = clock.addReading(
                deviceTime: reading.deviceTime - stop, hostTime: reading.hostTime)
            let now = time(clock, host)
            #expect(now > last)
            if tick > 1 { #expect(abs(now - last - 100_000_000) < 100_000) }
            last = now
        }
        #expect(abs(offset - device.start - 300_000_000) < 2_000_000)
    }

    @Test func `a stray reading does not move the clock`() {
        var device = SimulatedDevice(drift: 0, jitter: 0)
        let clock = AudioClock()
        for tick in 1...50 {
            let reading = device.reading(at: device.start + Int64(tick) * 100_000_000)
            clock.addReading(deviceTime: reading.deviceTime, hostTime: reading.hostTime)
        }
        let host = device.start + 5_100_000_000
        let expected = time(clock, host)
        clock.addReading(deviceTime: 900_000_000_000, hostTime: host)
        #expect(time(clock, host) == expected)
    }

    @Test func `a correction below the gross error is slewed at half a percent at most`() {
        var device = SimulatedDevice(drift: 0, jitter: 0)
        let clock = AudioClock()
        for tick in 1...100 {
            let reading = device.reading(at: device.start + Int64(tick) * 100_000_000)
            clock.addReading(deviceTime: reading.deviceTime, hostTime: reading.hostTime)
        }
        var last = time(clock, device.start + 10_000_000_000)
        for tick in 101...700 {
            let host = device.start + Int64(tick) * 100_000_000
            let reading = device.reading(at: host)
            clock.addReading(deviceTime: reading.deviceTime - 20_000_000, hostTime: host)
            let now = time(clock, host)
            #expect(abs(now - last - 100_000_000) <= 600_000)
            last = now
        }
        #expect(abs(last - time(clock, device.start + 70_000_000_000)) <= 1)
        let truth = device.start + 70_000_000_000 - 20_000_000
        #expect(abs(last - truth) < 500_000, "\(last - truth)")
    }

    @Test func `conversions between host time and clock time are inverse`() {
        var device = SimulatedDevice(drift: 250, jitter: 2_000_000)
        let clock = AudioClock()
        for tick in 1...30 {
            let reading = device.reading(at: device.start + Int64(tick) * 50_000_000)
            clock.addReading(deviceTime: reading.deviceTime, hostTime: reading.hostTime)
            for step in -40...40 {
                let host = reading.hostTime + Int64(step) * 61_234_567
                let back = clock.hostTime(at: MediaTime(nanoseconds: time(clock, host)))
                #expect(abs((back.nanoseconds ?? 0) - host) <= 2)
            }
        }
    }
}

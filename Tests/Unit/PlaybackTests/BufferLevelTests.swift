// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The laws of the level from which on playback is likely to keep up.
@Suite struct BufferLevelTests {
    private static func reading(
        loaded: Double, remaining: Double? = 60, gain: Double? = 0.5, rate: Double = 1,
        capacity: Double = 30
    ) -> BufferLevel.Reading {
        func time(_ seconds: Double) -> MediaTime {
            MediaTime(nanoseconds: Int64(seconds * 1e9))
        }
        var reading = BufferLevel.Reading(
            loaded: time(loaded), remaining: remaining.map(time), capacity: time(capacity))
        reading.byteRate = 1000
        reading.bytesPerSecond = gain.map { $0 * 1000 }
        reading.rate = rate
        return reading
    }

    /// Returns a random reading.
    private static func random(_ random: inout SplitMix64) -> BufferLevel.Reading {
        func value(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        var reading = reading(
            loaded: value(0...40),
            remaining: Int.random(in: 0..<4, using: &random) == 0 ? nil : value(0...100),
            gain: Int.random(in: 0..<4, using: &random) == 0 ? nil : value(0...3),
            rate: value(0.1...4),
            capacity: value(0.1...40))
        reading.isSilent = Int.random(in: 0..<4, using: &random) == 0
        return reading
    }

    @Test func `a complete or full buffer suffices`() {
        var generator = SplitMix64(seed: 1)
        for _ in 0..<1000 {
            var reading = Self.random(&generator)
            reading.isComplete = true
            var level = BufferLevel()
            level.update(reading)
            #expect(level.isLikelyToKeepUp)
            (reading.isComplete, reading.isFull) = (false, true)
            level = BufferLevel()
            level.update(reading)
            #expect(level.isLikelyToKeepUp || reading.loaded == .zero)
        }
    }

    @Test func `a longer loaded range never makes keeping up less likely`() {
        var generator = SplitMix64(seed: 2)
        for _ in 0..<5000 {
            var level = BufferLevel()
            level.update(Self.random(&generator))
            let reading = Self.random(&generator)
            var more = reading
            more.loaded += MediaTime(
                value: Int64(Int.random(in: 0..<2000, using: &generator)), timescale: 100)
            var (less, richer) = (level, level)
            less.update(reading)
            richer.update(more)
            #expect(richer.isLikelyToKeepUp || !less.isLikelyToKeepUp)
        }
    }

    @Test func `buffering has hysteresis between two levels`() {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<5000 {
            var reading = Self.random(&generator)
            #expect(reading.low < reading.needed)
            let between = (reading.low + reading.needed) / 2
            var level = BufferLevel()
            reading.loaded = MediaTime(nanoseconds: Int64(between * 1e9))
            level.update(reading)
            #expect(!level.isLikelyToKeepUp)
            reading.loaded = MediaTime(value: 200, timescale: 1)
            level.update(reading)
            #expect(level.isLikelyToKeepUp)
            reading.loaded = MediaTime(nanoseconds: Int64(between * 1e9))
            level.update(reading)
            #expect(level.isLikelyToKeepUp)
            reading.loaded = .zero
            level.update(reading)
            #expect(!level.isLikelyToKeepUp)
        }
    }

    @Test func `a faster transfer needs a lower level, which never exceeds the capacity`() {
        var generator = SplitMix64(seed: 4)
        for _ in 0..<5000 {
            var reading = Self.random(&generator)
            let needed = reading.needed
            #expect(needed <= reading.capacity.seconds + 1e-6)
            #expect(needed <= BufferLevel.longest * reading.rate + 1e-6)
            guard let speed = reading.bytesPerSecond else { continue }
            reading.bytesPerSecond = speed * 1.5
            #expect(reading.needed <= needed + 1e-6)
        }
    }

    @Test(arguments: [0.3, 0.5, 0.8, 0.95, 1.05, 2], [0.5, 1, 2])
    func `from the level on, playback reaches the end at a constant transfer rate`(
        gain: Double, rate: Double
    ) {
        // Short enough for the level not to be clipped.
        let length = 4.0
        var (loaded, played) = (0.0, 0.0)
        var level = BufferLevel()
        let step = 0.01
        while !level.isLikelyToKeepUp {
            loaded = min(length, loaded + gain * step)
            var reading = Self.reading(
                loaded: loaded, remaining: length - loaded, gain: gain, rate: rate)
            reading.isComplete = loaded == length
            level.update(reading)
        }
        while played < length - 0.02 {
            played += rate * step
            loaded = min(length, loaded + gain * step)
            #expect(loaded + 0.01 >= min(played, length))
        }
    }

    @Test func `without times keeping up is unknown until everything is loaded`() {
        var reading = Self.reading(loaded: 0)
        reading.loaded = .indefinite
        var level = BufferLevel()
        level.update(reading)
        #expect(!level.isLikelyToKeepUp)
        reading.isFull = true
        level.update(reading)
        #expect(level.isLikelyToKeepUp)
    }

    @Test func `near the live edge, what can be loaded there suffices`() {
        for gain in [nil, 0, 0.5, 0.9, 2, .infinity] as [Double?] {
            var reading = Self.reading(loaded: 0.7, remaining: nil, gain: gain)
            reading.reachable = MediaTime(value: 2, timescale: 3)
            var level = BufferLevel()
            level.update(reading)
            #expect(level.isLikelyToKeepUp)
            reading.loaded = MediaTime(value: 6, timescale: 10)
            level.update(reading)
            #expect(level.isLikelyToKeepUp, "it holds until less than half is left")
            level = BufferLevel()
            level.update(reading)
            #expect(!level.isLikelyToKeepUp)
            // A long distance asks for no more than without it.
            reading.reachable = MediaTime(value: 100, timescale: 1)
            let needed = reading.needed
            reading.reachable = nil
            #expect(reading.needed == needed)
        }
    }

    @Test func `a transfer rate is recent and counts only waiting`() {
        var rate = TransferRate()
        #expect(rate.bytesPerSecond == nil)
        rate.note(waited: 0, byteCount: 1000)
        #expect(rate.bytesPerSecond == .infinity)
        for second in 1...10 { rate.note(waited: Int64(second) * 1_000_000_000, byteCount: 1000) }
        #expect(rate.bytesPerSecond == 0)
        for second in 11...20 {
            rate.note(
                waited: Int64(second) * 1_000_000_000, byteCount: 1000 + Int64(second - 10) * 500)
        }
        #expect(rate.bytesPerSecond == 500)
    }
}

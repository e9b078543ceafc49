// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadTime
import Testing

@Suite struct TimebaseTests {
    private static func at(_ value: Int64, _ timescale: Int32 = 1) -> MediaTime {
        MediaTime(value: value, timescale: timescale)
    }

    /// A clock at 100 s, so that no test passes because of zero.
    private let clock = ManualClock(time: TimebaseTests.at(100))

    @Test func `a new timebase is stopped at zero`() {
        let timebase = Timebase(masterClock: clock)
        clock.advance(by: Self.at(5))
        #expect(timebase.time == .zero && timebase.rate == 0 && timebase.effectiveRate == 0)
        #expect(timebase.hostTime(at: Self.at(1)) == nil)
        #expect(timebase.ultimateMasterClock === clock)
    }

    @Test(arguments: [0, 1, 2, 0.5, -1, -2.5, 1.0 / 3, 100, 30 / 1.001])
    func `time moves at the rate, relative to the master's`(rate: Double) {
        let timebase = Timebase(masterClock: clock)
        timebase.setTime(Self.at(1001, 30000))
        timebase.rate = rate
        for step in 1...10 {
            clock.advance(by: Self.at(1, 8))
            let exact =
                BigRational(Self.at(1001, 30000)) + BigRational(double: rate)
                * BigRational(Self.at(Int64(step), 8))
            expectFaithful(timebase.time, exact, within: 1.5, "step \(step) at \(rate)")
        }
        #expect(timebase.timeAndRate.time == timebase.time && timebase.timeAndRate.rate == rate)
    }

    @Test func `a timebase reads exact frame times after any number of frames`() {
        let timebase = Timebase(masterClock: clock)
        timebase.setRate(1, time: Self.at(1001, 30000), atMasterTime: Self.at(100))
        #expect(timebase.time(atHostTime: Self.at(1101)) == Self.at(1001 + 30_030_000, 30000))
        #expect(!timebase.time(atHostTime: Self.at(1101)).hasBeenRounded)
    }

    @Test func `conversions from and to host time are inverse, to the nanosecond`() throws {
        var random = SplitMix64(seed: 20)
        let timebase = Timebase(masterClock: clock)
        for _ in 0..<1000 {
            let rates: [Double] = [1, 2, -1, 3, 1.1, 0.75, -0.3]
            let rate = rates.randomElement(using: &random) ?? 1
            timebase.setRate(
                rate, time: MediaTime(nanoseconds: Int64.random(in: 0...1 << 50, using: &random)),
                atMasterTime: MediaTime(nanoseconds: Int64.random(in: 0...1 << 50, using: &random)))
            let host = MediaTime(nanoseconds: Int64.random(in: 0...1 << 50, using: &random))
            let back = try #require(timebase.hostTime(at: timebase.time(atHostTime: host)))
            #expect((back - host).magnitude <= MediaTime(nanoseconds: 3), "rate \(rate)")
        }
    }

    @Test func `changing the rate or the master keeps the time`() {
        let timebase = Timebase(masterClock: clock)
        let rates: [Double] = [1, 0.3, -2, 0, 1.7]
        for rate in rates {
            let before = timebase.time
            timebase.rate = rate
            #expect(timebase.time == before)
            timebase.master = .clock(ManualClock(time: Self.at(7)))
            #expect(timebase.time == before)
            timebase.master = .clock(clock)
            #expect(timebase.time == before)
            clock.advance(by: Self.at(1, 7))
        }
        timebase.setTime(Self.at(55))
        #expect(timebase.time == Self.at(55) && timebase.rate == 1.7)
        timebase.rate = 1
        timebase.setTime(Self.at(10), atMasterTime: clock.time - Self.at(2))
        #expect(timebase.time == Self.at(12))
    }

    @Test func `a past anchor continues from then, and a future one holds or extends the line`() {
        let timebase = Timebase(masterClock: clock)
        timebase.setRate(2, time: Self.at(10), atMasterTime: Self.at(97))
        #expect(timebase.time == Self.at(16))
        timebase.setRate(2, time: Self.at(10), atMasterTime: Self.at(103))
        #expect(timebase.time == Self.at(4))
        timebase.setRate(2, time: Self.at(10), atMasterTime: Self.at(103), holdingUntilThen: true)
        #expect(timebase.time == Self.at(10))
        #expect(timebase.time(atMasterTime: clock.time) == Self.at(4))
        let reading = timebase.reading(at: clock.time, of: clock)
        #expect(reading.time == Self.at(4) && reading.holdTime == Self.at(10) && reading.rate == 2)
        clock.advance(to: Self.at(104))
        #expect(timebase.time == Self.at(12))
    }

    @Test func `a timebase is held while its master is`() {
        let master = Timebase(masterClock: clock)
        master.setRate(2, time: Self.at(10), atMasterTime: Self.at(103), holdingUntilThen: true)
        let timebase = Timebase(master: .timebase(master))
        timebase.setRate(3, time: Self.at(0), atMasterTime: Self.at(8))
        #expect(timebase.time == Self.at(6))
        var reading = timebase.reading(at: clock.time, of: clock)
        #expect(reading.time == Self.at(-12) && reading.holdTime == Self.at(6) && reading.rate == 6)
        // Its own hold is longer.
        timebase.setRate(
            3, time: Self.at(1), atMasterTime: Self.at(11), holdingUntilThen: true)
        reading = timebase.reading(at: clock.time, of: clock)
        #expect(reading.time == Self.at(-20) && reading.holdTime == Self.at(1))
        #expect(timebase.time == Self.at(1))
    }

    @Test func `a future start stays as far away when the master changes`() {
        let timebase = Timebase(masterClock: clock)
        timebase.setRate(1, time: Self.at(10), atMasterTime: Self.at(103), holdingUntilThen: true)
        let other = ManualClock(time: Self.at(5))
        timebase.master = .clock(other)
        #expect(timebase.time == Self.at(10))
        other.advance(by: Self.at(3))
        #expect(timebase.time == Self.at(10))
        other.advance(by: Self.at(1))
        #expect(timebase.time == Self.at(11))
    }

    @Test func `a rate that is not finite counts as 0`() {
        let timebase = Timebase(masterClock: clock)
        for rate in [Double.nan, .infinity, -.infinity] {
            timebase.rate = rate
            #expect(timebase.rate == 0)
            timebase.setRate(rate, time: Self.at(3), atMasterTime: .zero)
            clock.advance(by: Self.at(1))
            #expect(timebase.time == Self.at(3))
        }
    }

    @Test func `a chain of timebases multiplies the rates, and adds the anchors`() throws {
        let room = Timebase(masterClock: clock)
        let film = Timebase(master: .timebase(room))
        let loop = Timebase(master: .timebase(film))
        room.rate = 2
        film.setRate(-1, time: Self.at(50), atMasterTime: room.time)
        loop.setRate(0.5, time: .zero, atMasterTime: film.time)
        #expect(loop.effectiveRate == -1 && film.effectiveRate == -2)
        clock.advance(by: Self.at(3))
        #expect(room.time == Self.at(6) && film.time == Self.at(44) && loop.time == Self.at(-3))
        let host = try #require(loop.hostTime(at: Self.at(-4)))
        #expect(host == Self.at(104) && loop.time(atHostTime: host) == Self.at(-4))
        #expect(loop.reading(at: Self.at(104), of: clock).time == Self.at(-4))
        room.rate = 0
        #expect(loop.hostTime(at: Self.at(-4)) == nil && loop.effectiveRate == 0)
    }

    @Test func `a timebase cannot be its own master`() async {
        await #expect(processExitsWith: .failure) {
            let first = Timebase(masterClock: HostClock.shared)
            let second = Timebase(master: .timebase(first))
            first.master = .timebase(second)
        }
    }

    @Test func `replaced masters are released`() {
        let timebase = Timebase(masterClock: clock)
        timebase.rate = 1
        let witnesses = (0..<3000).map { _ in
            let master = ManualClock(time: Self.at(1))
            timebase.master = .clock(master)
            return Witness(clock: master)
        }
        timebase.master = .clock(clock)
        #expect(witnesses.count { $0.clock != nil } <= 1)
        timebase.rate = 2
        #expect(witnesses.allSatisfy { $0.clock == nil })
        #expect(timebase.time == .zero)
    }

    private struct Witness {
        weak var clock: ManualClock?
    }
}

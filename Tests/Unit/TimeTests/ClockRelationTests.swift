// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Testing

@Suite struct ClockRelationTests {
    /// A clock that is fast by parts per million, from an offset on.
    private final class DriftingClock: MediaClock {
        let offset: MediaTime
        let rate: Double
        init(offset: MediaTime, rate: Double) { (self.offset, self.rate) = (offset, rate) }
        var time: MediaTime { time(atHostTime: HostClock.shared.time) }
        func time(atHostTime hostTime: MediaTime) -> MediaTime { offset + hostTime * rate }
        func hostTime(at time: MediaTime) -> MediaTime { (time - offset) * (1 / rate) }
    }

    private static func at(_ seconds: Int64) -> MediaTime {
        MediaTime(value: seconds, timescale: 1)
    }

    @Test func `clocks convert over host time and include their drift`() {
        let fast = DriftingClock(offset: Self.at(10), rate: 1.0002)
        let slow = DriftingClock(offset: Self.at(-3), rate: 0.9999)
        #expect(abs(fast.rate(relativeTo: HostClock.shared) - 1.0002) < 3e-9)
        #expect(abs(fast.rate(relativeTo: slow) - 1.0002 / 0.9999) < 6e-9)
        #expect(fast.rate(relativeTo: fast) == 1)
        let host = Self.at(1000)
        let converted = fast.convert(fast.time(atHostTime: host), to: slow)
        #expect((converted - slow.time(atHostTime: host)).magnitude < MediaTime(nanoseconds: 5))
        #expect(fast.convert(Self.at(5), to: fast) == Self.at(5))
        #expect(HostClock.shared.rate(relativeTo: ManualClock()) == 1)
    }

    @Test func `times convert exactly over the nearest common master`() {
        let clock = ManualClock(time: Self.at(40))
        let room = Timebase(masterClock: clock)
        room.setRate(2, time: .zero, atMasterTime: clock.time)
        let film = Timebase(master: .timebase(room))
        film.setRate(-1, time: Self.at(60), atMasterTime: .zero)
        let titles = Timebase(master: .timebase(room))
        titles.setRate(3, time: Self.at(1), atMasterTime: Self.at(4))
        let (a, b) = (Timebase.Master.timebase(film), Timebase.Master.timebase(titles))
        // Film 50 is room 10, which is titles 19.
        #expect(a.convert(Self.at(50), to: b) == Self.at(19))
        #expect(b.convert(Self.at(19), to: a) == Self.at(50))
        #expect(a.convert(Self.at(50), to: .timebase(room)) == Self.at(10))
        #expect(a.convert(Self.at(50), to: .clock(clock)) == Self.at(45))
        #expect(Timebase.Master.clock(clock).convert(Self.at(45), to: a) == Self.at(50))
        #expect(a.convert(Self.at(50), to: a) == Self.at(50))
        #expect(a.rate(relativeTo: b) == -1.0 / 3 && b.rate(relativeTo: a) == -3)
        #expect(a.rate(relativeTo: .clock(clock)) == film.effectiveRate)
        // The rate of the common master is not a part of it.
        room.rate = 0
        #expect(a.rate(relativeTo: b) == -1.0 / 3)
        #expect(a.convert(Self.at(50), to: b) == Self.at(19))
    }

    @Test func `a relation's pair of times is on the line of its rate`() {
        let clock = ManualClock(time: Self.at(40))
        let film = Timebase(masterClock: clock)
        film.setRate(2, time: Self.at(5), atMasterTime: Self.at(10))
        let (a, b) = (Timebase.Master.timebase(film), Timebase.Master.clock(clock))
        let relation = a.relation(to: b)
        #expect(
            relation
                == ClockRelation(
                    rate: 2, anchorTime: Self.at(65), relativeAnchorTime: Self.at(40)))
        #expect(relation.time(atRelativeTime: Self.at(10)) == Self.at(5))
        let other = Timebase(masterClock: DriftingClock(offset: .zero, rate: 1.001))
        other.rate = 1
        let far = Timebase.Master.timebase(other).relation(to: .clock(HostClock.shared))
        #expect(abs(far.rate - 1.001) < 3e-9)
    }

    @Test func `relative to a stopped timebase, rates are NaN and times are invalid`() {
        let clock = ManualClock()
        let still = Timebase(masterClock: clock)
        let moving = Timebase(masterClock: clock)
        moving.rate = 1
        let (a, b) = (Timebase.Master.timebase(still), Timebase.Master.timebase(moving))
        #expect(b.rate(relativeTo: a).isNaN && a.rate(relativeTo: b) == 0)
        #expect(a.convert(.zero, to: b) == .invalid && b.convert(Self.at(3), to: a) == .zero)
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadTime
import Testing

@Suite struct TimebaseEventTests {
    private static func at(_ seconds: Int64) -> MediaTime {
        MediaTime(value: seconds, timescale: 1)
    }
    private let clock = ManualClock(time: TimebaseEventTests.at(100))

    @Test func `changes of rate and jumps are reported in order, with their times`() {
        let timebase = Timebase(masterClock: clock)
        let events = Monitor<[Timebase.Event]>([])
        timebase.observe { event in events.change { $0.append(event) } }
        timebase.rate = 2
        timebase.rate = 2
        clock.advance(by: Self.at(3))
        timebase.setTime(Self.at(50))
        timebase.setRate(-1, time: Self.at(9), atMasterTime: clock.time)
        timebase.rate = 0
        timebase.waitForNotifications()
        #expect(
            events.withLock { $0 } == [
                .effectiveRateChanged(2, time: .zero), .timeJumped(to: Self.at(50)),
                .timeJumped(to: Self.at(9)), .effectiveRateChanged(-1, time: Self.at(9)),
                .effectiveRateChanged(0, time: Self.at(9)),
            ])
    }

    @Test func `setting the present time is not a jump`() {
        let timebase = Timebase(masterClock: clock)
        let events = Monitor<[Timebase.Event]>([])
        timebase.observe { event in events.change { $0.append(event) } }
        timebase.setRate(
            1, time: .zero, atMasterTime: clock.time + Self.at(1), holdingUntilThen: true)
        clock.advance(by: Self.at(3))
        timebase.setTime(Self.at(2))
        timebase.waitForNotifications()
        #expect(events.withLock { $0 } == [.effectiveRateChanged(1, time: .zero)])
    }

    @Test func `a manual clock moves after earlier events have been delivered`() {
        let timebase = Timebase(masterClock: clock)
        let reported = Monitor<[String]>([])
        timebase.observe { _ in reported.change { $0.append("event") } }
        for second in 1...50 {
            let time = Self.at(Int64(2 * second))
            timebase.addTimer(at: time) { _ in reported.change { $0.append("timer") } }
            timebase.setRate(1, time: time - Self.at(1), atMasterTime: clock.time)
            clock.advance(by: Self.at(1))
            timebase.waitForNotifications()
            #expect(reported.withLock { $0 } == ["event", "event", "timer"])
            timebase.rate = 0
            timebase.waitForNotifications()
            reported.withLock { $0 = [] }
        }
    }

    @Test func `events of a master are events of its dependents, unless they are stopped`() {
        let room = Timebase(masterClock: clock)
        let film = Timebase(master: .timebase(room))
        let still = Timebase(master: .timebase(room))
        film.rate = 3
        let events = Monitor<[Timebase.Event]>([])
        film.observe { event in events.change { $0.append(event) } }
        still.observe { event in events.change { $0.append(event) } }
        room.rate = 2
        room.setTime(Self.at(5))
        film.master = .clock(clock)
        room.setTime(Self.at(8))
        film.waitForNotifications()
        #expect(
            events.withLock { $0 } == [
                .effectiveRateChanged(6, time: .zero), .timeJumped(to: Self.at(15)),
                .effectiveRateChanged(3, time: Self.at(15)),
            ])
    }

    @Test func `a cancelled observation receives no events, and may cancel itself`() {
        let timebase = Timebase(masterClock: clock)
        let counts = Monitor((first: 0, second: 0))
        let token = Monitor<TimebaseObservation?>(nil)
        let first = timebase.observe { _ in counts.change { $0.first += 1 } }
        let second = timebase.observe { _ in
            counts.change { $0.second += 1 }
            token.withLock { $0 }?.cancel()
        }
        token.withLock { $0 = second }
        timebase.rate = 1
        timebase.waitForNotifications()
        first.cancel()
        timebase.rate = 2
        timebase.waitForNotifications()
        #expect(counts.withLock { $0 } == (1, 1))
    }

    @Test(.timeLimit(.minutes(20)))
    func `events are available as an asynchronous sequence`() async {
        let timebase = Timebase(masterClock: clock)
        let events = timebase.events
        timebase.rate = 1
        timebase.setTime(Self.at(4))
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .effectiveRateChanged(1, time: .zero))
        #expect(await iterator.next() == .timeJumped(to: Self.at(4)))
    }

    @Test func `an observer may change the timebase that it observes`() {
        let timebase = Timebase(masterClock: clock)
        timebase.observe { event in
            if case .effectiveRateChanged(2, _) = event { timebase.rate = 1 }
        }
        timebase.rate = 2
        timebase.waitForNotifications()
        #expect(timebase.rate == 1)
    }

    @Test func `the stream of events ends with the timebase`() async {
        func events() -> AsyncStream<Timebase.Event> {
            let timebase = Timebase(masterClock: ManualClock())
            defer {
                timebase.rate = 2
                timebase.waitForNotifications()
            }
            return timebase.events
        }
        var seen = 0
        for await _ in events() { seen += 1 }
        #expect(seen == 1)
    }
}

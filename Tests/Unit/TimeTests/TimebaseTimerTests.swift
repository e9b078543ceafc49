// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@Suite struct TimebaseTimerTests {
    private static func at(_ value: Int64, _ timescale: Int32 = 1) -> MediaTime {
        MediaTime(value: value, timescale: timescale)
    }

    /// The times at which timers fired: the timebase's time, and that for which they were set.
    private final class Log: Sendable {
        let entries = Mutex<[MediaTime]>([])
        func add(_ time: MediaTime) { entries.withLock { $0.append(time) } }
        var times: [MediaTime] { entries.withLock { $0 } }
    }

    private let clock = ManualClock(time: TimebaseTimerTests.at(100))
    private let log = Log()

    private func playing(at rate: Double) -> Timebase {
        let timebase = Timebase(masterClock: clock)
        timebase.rate = rate
        return timebase
    }

    @Test(arguments: [1, 2, 0.3, -1, -7])
    func `a timer fires once, when the timebase reads its time`(rate: Double) {
        let timebase = playing(at: rate)
        let time = Self.at(rate > 0 ? 1 : -1, 3)
        timebase.addTimer(at: time) { [log] set in
            #expect(set == time)
            log.add(timebase.time)
        }
        for _ in 0..<80 { clock.advance(by: Self.at(1, 20)) }
        let times = log.times
        #expect(times.count == 1)
        if let fired = times.first {
            let isReached = rate > 0 ? fired >= time : fired <= time
            #expect(isReached && (fired - time).magnitude < MediaTime(nanoseconds: 10))
        }
    }

    @Test func `within one move of the clock, timers fire in order, each at its time`() {
        let timebase = playing(at: 2)
        for seconds in [5, 1, 3, 4, 2].map({ Self.at($0) }) {
            timebase.addTimer(at: seconds) { [log] _ in log.add(timebase.time) }
        }
        clock.advance(by: Self.at(2))
        #expect(log.times == (1...4).map { Self.at($0) })
        #expect(clock.time == Self.at(102))
        clock.advance(by: Self.at(2))
        #expect(log.times == (1...5).map { Self.at($0) })
    }

    @Test func `a stopped timebase fires no timer until it moves`() {
        let timebase = playing(at: 0)
        let timer = timebase.addTimer(at: Self.at(1)) { [log] in log.add($0) }
        let past = timebase.addTimer(at: Self.at(-1)) { [log] in log.add($0) }
        clock.advance(by: Self.at(50))
        #expect(log.times.isEmpty && timer.fireTime == Self.at(1))
        timebase.rate = 1
        clock.advance(by: Self.at(1, 2))
        #expect(log.times == [Self.at(-1)] && past.fireTime == .invalid)
        clock.advance(by: Self.at(1, 2))
        #expect(log.times == [Self.at(-1), Self.at(1)])
    }

    @Test func `a timer follows changes of rate, jumps, and changes of master`() {
        let timebase = playing(at: 1)
        timebase.addTimer(at: Self.at(10)) { [log] _ in log.add(timebase.time) }
        clock.advance(by: Self.at(4))
        timebase.rate = 0.5
        clock.advance(by: Self.at(8))
        #expect(timebase.time == Self.at(8) && log.times.isEmpty)
        timebase.setTime(Self.at(2))
        clock.advance(by: Self.at(8))
        #expect(timebase.time == Self.at(6) && log.times.isEmpty)
        let other = ManualClock()
        timebase.master = .clock(other)
        clock.advance(by: Self.at(100))
        #expect(log.times.isEmpty)
        other.advance(by: Self.at(7))
        #expect(log.times.isEmpty)
        other.advance(by: Self.at(100))
        #expect(log.times == [Self.at(10)])
    }

    @Test func `a jump past a timer fires it`() {
        let timebase = playing(at: 1)
        timebase.addTimer(at: Self.at(10)) { [log] in log.add($0) }
        timebase.setTime(Self.at(20))
        clock.advance(by: .zero)
        #expect(log.times == [Self.at(10)])
    }

    @Test func `a timer that is set for a time already reached fires without a move of the clock`()
    {
        let timebase = playing(at: 1)
        let fired = Monitor(0)
        clock.advance(by: Self.at(10))
        let timer = timebase.addTimer(at: Self.at(4)) { _ in fired.change { $0 += 1 } }
        fired.wait { $0 == 1 ? true : nil }
        timer.fireTime = Self.at(10)
        fired.wait { $0 == 2 ? true : nil }
    }

    @Test func `no timer fires while a timebase is held for a future start`() {
        let timebase = playing(at: 0)
        timebase.setRate(1, time: Self.at(10), atMasterTime: Self.at(105), holdingUntilThen: true)
        for seconds in [6, 10, 11] {
            timebase.addTimer(at: Self.at(Int64(seconds))) { [log, clock] _ in log.add(clock.time) }
        }
        clock.advance(to: Self.at(104))
        #expect(log.times.isEmpty)
        clock.advance(to: Self.at(110))
        #expect(log.times == [Self.at(105), Self.at(105), Self.at(106)])
    }

    @Test func `a timer follows its chain of masters`() {
        let room = playing(at: 1)
        let film = Timebase(master: .timebase(room))
        film.rate = 2
        film.addTimer(at: Self.at(10)) { [log] _ in log.add(film.time) }
        room.rate = 0
        clock.advance(by: Self.at(100))
        #expect(log.times.isEmpty)
        room.setRate(1, time: Self.at(4), atMasterTime: clock.time)
        clock.advance(by: Self.at(1, 2))
        #expect(film.time == Self.at(9) && log.times.isEmpty)
        clock.advance(by: Self.at(1, 2))
        #expect(log.times == [Self.at(10)])
    }

    @Test func `a timer that is cancelled or set to an invalid time does not fire`() {
        let timebase = playing(at: 1)
        let first = timebase.addTimer(at: Self.at(1)) { [log] in log.add($0) }
        let second = timebase.addTimer(at: Self.at(1)) { [log] in log.add($0) }
        first.cancel()
        second.fireTime = .invalid
        clock.advance(by: Self.at(2))
        #expect(log.times.isEmpty)
        second.fireTime = Self.at(3)
        first.fireTime = Self.at(3)
        clock.advance(by: Self.at(2))
        #expect(log.times == [Self.at(3)])
    }

    @Test func `a handler may set its timer again, periodically and without drift`() {
        let timebase = playing(at: 1)
        let frame = Self.at(1001, 30000)
        let box = Mutex<TimebaseTimer?>(nil)
        let timer = timebase.addTimer(at: frame) { [log] time in
            log.add(time)
            box.withLock { $0 }?.fireTime = time + frame
        }
        box.withLock { $0 = timer }
        clock.advance(by: Self.at(1001, 10))
        #expect(log.times.count == 3000 && log.times.last == Self.at(1001, 10))
        timer.cancel()
        box.withLock { $0 = nil }
    }

    @Test func `timers do not retain their timebase and are released with it`() {
        weak var gone: Timebase?
        var timer: TimebaseTimer?
        do {
            let timebase = playing(at: 1)
            gone = timebase
            timer = timebase.addTimer(at: Self.at(1)) { [log] in log.add($0) }
        }
        clock.advance(by: Self.at(2))
        #expect(gone == nil && log.times.isEmpty && timer?.fireTime == .invalid)
    }

    @Test func `on the host clock a timer fires on a thread of the library, not early`() {
        let timebase = Timebase(masterClock: HostClock.shared)
        let fired = Monitor<MediaTime?>(nil)
        timebase.rate = 1
        let timer = timebase.addTimer(at: Self.at(1, 1000)) { _ in
            fired.change { $0 = timebase.time }
        }
        let late = timebase.addTimer(at: Self.at(1000)) { _ in fired.change { $0 = .invalid } }
        let time = fired.wait { $0 }
        #expect(time >= Self.at(1, 1000) && timer.fireTime == .invalid)
        late.cancel()
        // Its time has already passed: it fires as soon as possible.
        fired.change { $0 = nil }
        timer.fireTime = .zero
        #expect(fired.wait { $0 } >= time)
    }

    @Test func `cancelling a timer waits for its handler on another thread`() {
        let timebase = Timebase(masterClock: HostClock.shared)
        timebase.rate = 1
        for _ in 0..<200 {
            let state = Monitor((begun: false, violations: 0))
            withExtendedLifetime(state) {
                let flag = Flag()
                let timer = timebase.addTimer(at: .zero) { _ in
                    state.change { $0.begun = true }
                    for _ in 0..<100 where flag.isSet { state.change { $0.violations += 1 } }
                }
                state.wait { $0.begun ? true : nil }
                timer.cancel()
                flag.set()
            }
            #expect(state.withLock { $0.violations } == 0)
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@Suite struct TimebaseStressTests {
    /// Writers jump between unrelated lines; every reading must lie on one of them.
    @Test func `readers never see parts of two anchors`() {
        let clocks = [ManualClock(), ManualClock()]
        for clock in clocks { clock.advance(to: MediaTime(value: 1000, timescale: 1)) }
        let timebase = Timebase(masterClock: clocks[0])
        let lines: [(rate: Double, time: MediaTime, master: MediaTime)] = [
            (1, MediaTime(value: 7, timescale: 3), MediaTime(value: 5, timescale: 1)),
            (-2, MediaTime(value: 100_001, timescale: 30000), MediaTime(value: 11, timescale: 7)),
            (0.5, MediaTime(value: 1 << 40, timescale: 90000), MediaTime(value: 999, timescale: 2)),
        ]
        let moment = MediaTime(value: 2000, timescale: 1)
        let expected = lines.map { line -> MediaTime in
            timebase.setRate(line.rate, time: line.time, atMasterTime: line.master)
            return timebase.time(atHostTime: moment)
        }
        let isOver = Flag()
        let failures = Monitor<[MediaTime]>([])
        let writers = (0..<2).map { writer in
            WorkerThread(name: "writer \(writer)") {
                for turn in 0..<20_000 {
                    let line = lines[(turn + writer) % lines.count]
                    timebase.setRate(line.rate, time: line.time, atMasterTime: line.master)
                }
            }
        }
        let readers = (0..<3).map { reader in
            WorkerThread(name: "reader \(reader)") {
                var wrong: [MediaTime] = []
                repeat {
                    let time = timebase.time(atHostTime: moment)
                    if !expected.contains(time) { wrong.append(time) }
                    let reading = timebase.reading(at: moment, of: clocks[0])
                    if !expected.contains(reading.time) { wrong.append(reading.time) }
                } while !isOver.isSet
                failures.change { $0 += wrong }
            }
        }
        for thread in writers { thread.join() }
        isOver.set()
        for thread in readers { thread.join() }
        #expect(failures.withLock { $0 } == [])
    }

    @Test func `replaced masters are not used after their release, and all are released`() {
        let count = Count()
        let timebase = Timebase(masterClock: CountedClock(count))
        timebase.setRate(0, time: MediaTime(value: 42, timescale: 1), atMasterTime: .zero)
        timebase.rate = 1
        let isOver = Flag()
        let readers = (0..<3).map { reader in
            WorkerThread(name: "reader \(reader)") {
                repeat {
                    _ = timebase.time
                    _ = timebase.ultimateMasterClock.time
                } while !isOver.isSet
            }
        }
        var most = 0
        for _ in 0..<5000 {
            timebase.master = .clock(CountedClock(count))
            most = max(most, count.value)
        }
        isOver.set()
        for thread in readers { thread.join() }
        timebase.rate = 0
        #expect(count.value == 1)
        #expect(most <= 32, "\(most) masters at once")
    }

    /// A clock that counts its instances.
    private final class CountedClock: MediaClock {
        let count: Count
        let magic: [Int]
        init(_ count: Count) {
            self.count = count
            magic = Array(0..<8)
            count.add(1)
        }
        deinit { count.add(-1) }
        var time: MediaTime {
            precondition(magic.reduce(0, +) == 28, "used after it is gone")
            return HostClock.shared.time
        }
        func time(atHostTime hostTime: MediaTime) -> MediaTime { hostTime }
        func hostTime(at time: MediaTime) -> MediaTime { time }
    }

    private final class Count: Sendable {
        private let number = Atomic(0)
        var value: Int { number.load(ordering: .sequentiallyConsistent) }
        func add(_ step: Int) { number.add(step, ordering: .sequentiallyConsistent) }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
}

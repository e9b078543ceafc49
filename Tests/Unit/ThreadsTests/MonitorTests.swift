// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadThreads
import Synchronization
import Testing

@Suite struct MonitorTests {
    private static var nanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    @Test func `a wait whose condition holds returns its value at once`() {
        let monitor = Monitor(5)
        #expect(monitor.wait { $0 == 5 ? "five" : nil } == "five")
        #expect(monitor.wait(nanoseconds: 0) { $0 == 5 ? "five" : nil } == "five")
        #expect(monitor.wait(nanoseconds: .min) { $0 == 5 ? "five" : nil } == "five")
    }

    @Test func `a wait returns nil when its time has passed on the monotonic clock, not before`() {
        let monitor = Monitor(0)
        let start = Self.nanoseconds
        #expect(monitor.wait(nanoseconds: 2_000_000) { _ in nil as Int? } == nil)
        #expect(Self.nanoseconds - start >= 2_000_000)
        #expect(monitor.wait(nanoseconds: 0) { _ in nil as Int? } == nil)
        #expect(monitor.wait(nanoseconds: -5) { _ in nil as Int? } == nil)
    }

    @Test func `a value found at the very end of a wait counts as a change`() {
        let changes = Mutex(0)
        let monitor = Monitor(0, didChange: { _ in changes.withLock { $0 += 1 } })
        // Nothing at the first check, something when the time is over.
        var looks = 0
        let found = monitor.wait(nanoseconds: 1000) { _ -> Bool? in
            looks += 1
            return looks > 1 ? true : nil
        }
        #expect(found == true)
        #expect(changes.withLock { $0 } == 1)
    }

    @Test func `the end of a very long wait does not overflow`() {
        let monitor = Monitor(false)
        let thread = WorkerThread(name: "waker") { monitor.change { $0 = true } }
        #expect(monitor.wait(nanoseconds: .max) { $0 ? true : nil } == true)
        thread.join()
    }

    @Test func `a change wakes all waiting threads, and a wake makes them check again`() {
        let monitor = Monitor((released: false, waiting: 0, looks: 0))
        let threads = (0..<4).map { index in
            WorkerThread(name: "waiter \(index)") {
                monitor.change { $0.waiting += 1 }
                monitor.wait { state -> Bool? in
                    state.looks += 1
                    return state.released ? true : nil
                }
            }
        }
        monitor.wait { $0.waiting == 4 ? true : nil }
        monitor.wake()
        monitor.change { $0.released = true }
        for thread in threads { thread.join() }
        #expect(monitor.withLock { $0.looks } >= 4)
    }

    @Test func `no wake-up is lost between many writers and readers of a small queue`() {
        struct Queue {
            var items: [Int] = []
            var taken = 0
            var sum = 0
        }
        let (producers, items) = (3, 5000)
        let total = producers * items
        let queue = Monitor(Queue())
        let putting = (0..<producers).map { producer in
            WorkerThread(name: "producer \(producer)") {
                for item in 0..<items {
                    queue.wait { queue -> Bool? in
                        guard queue.items.count < 2 else { return nil }
                        queue.items.append(item)
                        return true
                    }
                }
            }
        }
        let taking = (0..<3).map { consumer in
            WorkerThread(name: "consumer \(consumer)") {
                var goesOn = true
                while goesOn {
                    goesOn = queue.wait { queue -> Bool? in
                        if queue.taken == total { return false }
                        guard !queue.items.isEmpty else { return nil }
                        queue.sum += queue.items.removeFirst()
                        queue.taken += 1
                        return true
                    }
                }
            }
        }
        for thread in putting + taking { thread.join() }
        #expect(queue.withLock { $0.taken } == total)
        #expect(queue.withLock { $0.sum } == producers * items * (items - 1) / 2)
    }

    @Test func `an error in the body releases the lock and keeps its changes`() {
        struct Failure: Error {}
        let monitor = Monitor(1)
        #expect(throws: Failure.self) {
            try monitor.withLock { value in
                value = 2
                throw Failure()
            }
        }
        #expect(monitor.withLock { $0 } == 2)
    }

    @Test func `the state is released with the monitor`() {
        final class Witness: Sendable {}
        weak var witness: Witness?
        do {
            let monitor = Monitor(Witness())
            witness = monitor.withLock { $0 }
            #expect(witness != nil)
        }
        #expect(witness == nil)
    }
}

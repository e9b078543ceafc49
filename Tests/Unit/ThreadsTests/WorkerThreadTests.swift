// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadThreads
import Testing

@Suite struct WorkerThreadTests {
    @Test func `the body runs once on its own thread, and join waits for it`() {
        let state = Monitor((count: 0, wasCurrent: false))
        let box = Monitor<WorkerThread?>(nil)
        let thread = WorkerThread(name: "once") {
            let own = box.wait { $0 }
            state.change { state in
                state.count += 1
                state.wasCurrent = own.isCurrent
            }
        }
        #expect(!thread.isCurrent)
        box.change { $0 = thread }
        thread.join()
        #expect(state.withLock { $0.count } == 1)
        #expect(state.withLock { $0.wasCurrent })
    }

    @Test func `a joined thread can be joined again, even if its handle was reused`() {
        let first = WorkerThread(name: "first") {}
        first.join()
        for _ in 0..<20 { WorkerThread(name: "second") { first.join() }.join() }
        #expect(!first.isCurrent)
    }

    @Test func `a thread has its name, of which the kernel keeps 15 bytes`() {
        let names = Monitor<[String]>([])
        for name in ["ph-test", "a name that is too long for it"] {
            WorkerThread(name: name) {
                let file = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                names.change { $0.append((file ?? "").trimmingCharacters(in: .newlines)) }
            }.join()
        }
        #expect(names.withLock { $0 } == ["ph-test", "a name that is "])
    }

    @Test func `the body is released when it has returned`() {
        final class Witness: Sendable {}
        weak var witness: Witness?
        let thread = {
            let held = Witness()
            witness = held
            return WorkerThread(name: "holder") { withExtendedLifetime(held) {} }
        }()
        thread.join()
        #expect(witness == nil)
    }

    @Test func `many threads run at once`() {
        let count = Monitor(0)
        let threads = (0..<50).map { index in
            WorkerThread(name: "many \(index)") { count.change { $0 += 1 } }
        }
        for thread in threads { thread.join() }
        #expect(count.withLock { $0 } == 50)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadThreads
import Testing

@Suite struct WorkerThreadTests {
    @Test("the body runs once, on a thread of its own, and join waits for it")
    func runs() {
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

    @Test("a thread that was joined may be joined again, also by one that has its handle")
    func joinedTwice() {
        let first = WorkerThread(name: "first") {}
        first.join()
        for _ in 0..<20 { WorkerThread(name: "second") { first.join() }.join() }
        #expect(!first.isCurrent)
    }

    @Test("threads carry their name, of which the kernel keeps 15 bytes")
    func names() {
        let names = Monitor<[String]>([])
        for name in ["ph-test", "a name that is too long for it"] {
            WorkerThread(name: name) {
                let file = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                names.change { $0.append((file ?? "").trimmingCharacters(in: .newlines)) }
            }.join()
        }
        #expect(names.withLock { $0 } == ["ph-test", "a name that is "])
    }

    @Test("the body, and what it holds, is released when it has returned")
    func lifetime() {
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

    @Test("many threads at once all run")
    func many() {
        let count = Monitor(0)
        let threads = (0..<50).map { index in
            WorkerThread(name: "many \(index)") { count.change { $0 += 1 } }
        }
        for thread in threads { thread.join() }
        #expect(count.withLock { $0 } == 50)
    }
}

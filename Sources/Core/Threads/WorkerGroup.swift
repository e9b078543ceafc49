// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A few threads that share one kind of work with the thread that requests it.
///
/// The work is cut into slices, and each free thread takes the next slice. Threads are started once
/// and sleep between requests, so requesting work allocates nothing.
///
/// - Concurrency: `perform` is called by one thread at a time. That thread takes part, as
///   participant 0, and returns when all slices are done.
/// - Ownership: the threads retain `body` but not the group, and end when the group is deallocated.
/// - Corresponds to: `dispatch_apply`, without its pool and its blocks.
package final class WorkerGroup: Sendable {
    private struct State {
        var generation: UInt64 = 0
        var isOpen = false
        var busyCount = 0
        var isEnding = false
    }

    private final class Work: Sendable {
        let state = Monitor(State())
        let next = Atomic<Int>(0)
        let sliceCount = Atomic<Int>(0)
        let body: @Sendable (_ slice: Int, _ participant: Int) -> Void

        init(_ body: @escaping @Sendable (Int, Int) -> Void) { self.body = body }

        func takeSlices(_ participant: Int) {
            let count = sliceCount.load(ordering: .acquiring)
            while true {
                let slice = next.add(1, ordering: .relaxed).oldValue
                guard slice < count else { return }
                body(slice, participant)
            }
        }

        func help(_ participant: Int) {
            var seen: UInt64 = 0
            while true {
                let isEnding = state.wait { state -> Bool? in
                    if state.isEnding { return true }
                    guard state.isOpen, state.generation != seen else { return nil }
                    seen = state.generation
                    state.busyCount += 1
                    return false
                }
                if isEnding { return }
                takeSlices(participant)
                state.change { $0.busyCount -= 1 }
            }
        }
    }

    private let work: Work
    private let threads: [WorkerThread]

    /// The number of threads that take part, including the one that calls `perform`.
    package var participantCount: Int { threads.count + 1 }

    /// Creates a group and starts its threads.
    ///
    /// - Parameters:
    ///   - name: The name of each thread.
    ///   - helperCount: The number of threads in addition to the calling thread; may be 0.
    ///   - body: Performs one slice; `participant` is the number of the thread, from 0.
    package init(
        name: String, helperCount: Int,
        body: @escaping @Sendable (_ slice: Int, _ participant: Int) -> Void
    ) {
        let work = Work(body)
        self.work = work
        threads = (0..<max(0, helperCount)).map { index in
            WorkerThread(name: name) { work.help(index + 1) }
        }
    }

    deinit {
        work.state.change { $0.isEnding = true }
        for thread in threads { thread.join() }
    }

    /// The number of helper threads that are worthwhile on this machine: one per processor, but at
    /// most four threads including the caller, because the decoders need the other processors.
    package static var usefulHelperCount: Int {
        min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) - 1
    }

    /// Performs all slices, from 0 to `sliceCount` - 1, in no particular order.
    package func perform(sliceCount: Int) {
        work.next.store(0, ordering: .relaxed)
        work.sliceCount.store(sliceCount, ordering: .releasing)
        let hasHelp = !threads.isEmpty && sliceCount > 1
        if hasHelp {
            work.state.change {
                $0.generation &+= 1
                $0.isOpen = true
            }
        }
        work.takeSlices(0)
        guard hasHelp else { return }
        // A thread that wakes up late finds the work closed.
        work.state.wait { state -> Void? in
            state.isOpen = false
            return state.busyCount == 0 ? () : nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads

/// A queue of jobs that wait for drivers. A thread, which exists only while there are jobs,
/// performs them in order.
///
/// - Concurrency: any thread.
package final class SerialWork: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Monitor(State())
    private let name: String

    package init(name: String) { self.name = name }

    /// Performs a job after all earlier ones. Returns immediately.
    package func perform(_ job: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts else { return }
        _ = WorkerThread(name: name) { [self] in
            while let job = next() { job() }
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            if !state.jobs.isEmpty { return state.jobs.removeFirst() }
            state.isRunning = false
            return nil
        }
    }
}

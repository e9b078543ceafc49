// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads

/// Work that waits for drivers, performed in order on a thread that exists while there is some.
///
/// - Concurrency: any thread.
final class SerialWork: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Monitor(State())
    private let name: String

    init(name: String) { self.name = name }

    /// Performs a job after those before it. Returns at once.
    func perform(_ job: @escaping @Sendable () -> Void) {
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

// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadThreads

/// A closure that is called until it is cancelled, and then neither begins nor is still running.
final class CancellableHandler<Argument: Sendable>: Sendable {
    private struct State {
        var body: (@Sendable (Argument) -> Void)?
        /// Threads that are inside the closure.
        var callers: [pthread_t] = []
    }
    private let state: Monitor<State>

    init(_ body: @escaping @Sendable (Argument) -> Void) {
        state = Monitor(State(body: body))
    }

    var isCancelled: Bool { state.withLock { $0.body == nil } }

    func call(_ argument: Argument) {
        let thread = pthread_self()
        let body = state.withLock { state in
            if state.body != nil { state.callers.append(thread) }
            return state.body
        }
        guard let body else { return }
        body(argument)
        state.change { state in
            if let index = state.callers.lastIndex(of: thread) { state.callers.remove(at: index) }
        }
    }

    /// Calls no more. Waits for a call that is under way on another thread; from within the closure
    /// it returns at once.
    func cancel() {
        let thread = pthread_self()
        // Released outside of the lock: what the closure holds may have a `deinit` of its own.
        let body = state.withLock { state in
            defer { state.body = nil }
            return state.body
        }
        state.wait { $0.callers.allSatisfy { $0 == thread } ? true : nil }
        withExtendedLifetime(body) {}
    }
}

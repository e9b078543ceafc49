// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadThreads

/// A closure that can be cancelled. After `cancel` has returned, no call begins, and no call is in
/// progress on another thread.
final class CancellableHandler<Argument: Sendable>: Cancellable {
    private struct State {
        var body: (@Sendable (Argument) -> Void)?
        /// The threads that are inside the closure.
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

    /// Cancels the closure. Waits for a call in progress on another thread. Returns at once if
    /// called from within the closure.
    func cancel() {
        let thread = pthread_self()
        // The closure is released without the lock, because its captures may have a `deinit` of
        // their own.
        let body = state.withLock { state in
            defer { state.body = nil }
            return state.body
        }
        state.wait { $0.callers.allSatisfy { $0 == thread } ? true : nil }
        withExtendedLifetime(body) {}
    }
}

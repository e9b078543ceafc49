// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadPlayback
import Synchronization

/// The wakeup callback of a host. The host can replace it.
///
/// - Concurrency: any thread. `set` waits for a running call. The callback runs on its own thread,
///   because the thread that reports an event may hold a lock that the callback waits for.
final class WakeupCallback: Sendable {
    private struct Function: @unchecked Sendable {
        // Unchecked: the host guarantees that the function may be called on any thread.
        var wakeup: playhead_wakeup?
        var user: UnsafeMutableRawPointer?
    }

    private let function = Mutex(Function())
    private let hasFunction = Atomic(false)

    /// A Boolean value that indicates whether a callback is set. Reading it takes no lock.
    var isSet: Bool { hasFunction.load(ordering: .relaxed) }

    func set(_ wakeup: playhead_wakeup?, user: UnsafeMutableRawPointer?) {
        let new = Function(wakeup: wakeup, user: user)
        function.withLock { function in
            function = new
            hasFunction.store(wakeup != nil, ordering: .relaxed)
        }
    }

    /// Schedules a call of the callback, and returns immediately.
    func call() {
        guard isSet else { return }
        ObservationQueue.background.async { [self] in
            function.withLock { function in
                guard let wakeup = function.wakeup else { return }
                Callback.run { wakeup(function.user) }
            }
        }
    }
}

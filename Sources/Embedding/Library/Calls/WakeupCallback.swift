// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadPlayback
import Synchronization

/// A function of the host's that is called to wake it, and can be exchanged.
///
/// - Concurrency: any thread. Exchanging it waits for a call that is just running. It is called on a thread
///   of its own: whoever has something to tell may hold what the host waits for in it, or be the host.
final class WakeupCallback: Sendable {
    private struct Function: @unchecked Sendable {
        // Unchecked: the host says that it may be called on any thread.
        var wakeup: playhead_wakeup?
        var user: UnsafeMutableRawPointer?
    }

    private let function = Mutex(Function())
    private let hasFunction = Atomic(false)

    /// Whether there is somebody to wake. Takes no lock.
    var isSet: Bool { hasFunction.load(ordering: .relaxed) }

    func set(_ wakeup: playhead_wakeup?, user: UnsafeMutableRawPointer?) {
        let new = Function(wakeup: wakeup, user: user)
        function.withLock { function in
            function = new
            hasFunction.store(wakeup != nil, ordering: .relaxed)
        }
    }

    /// Has it be called soon; returns at once.
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

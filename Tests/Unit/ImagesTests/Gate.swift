// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads

/// A gate at which a thread waits until a test opens it.
final class Gate: Sendable {
    private struct State {
        var hasArrived = false
        var isOpen = false
    }

    private let state = Monitor(State())

    /// Waits until the gate is open.
    func pass() {
        state.change { $0.hasArrived = true }
        state.wait { $0.isOpen ? () : nil }
    }

    /// Waits on a thread of its own: those of tasks are few, and must not block.
    func waitForArrival() async {
        await withCheckedContinuation { continuation in
            _ = WorkerThread(name: "test-gate") { [state] in
                state.wait { $0.hasArrived ? () : nil }
                continuation.resume()
            }
        }
    }

    func open() { state.change { $0.isOpen = true } }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads

/// Where a thread waits until a test lets it go on.
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

    func waitForArrival() { state.wait { $0.hasArrived ? () : nil } }
    func open() { state.change { $0.isOpen = true } }
}

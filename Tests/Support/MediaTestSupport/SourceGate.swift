// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads

/// A source that gives so many packets and then keeps its reader waiting, as a network does.
///
///     let gate = SourceGate(packets: 100)
///     media.transfer = TransferMonitor(clock: clock, isNetwork: true)
///     media.faults.willReadPacket = { number in gate.pass(number) }
///
/// - Concurrency: any thread.
/// - Ownership: a thread that waits at the gate holds it; open it at the end of the test.
public final class SourceGate: Sendable {
    private struct State {
        var allowed: Int
        var waiting: Int?
    }
    private let state: Monitor<State>

    /// - Parameter packets: how many come before the first wait.
    public init(packets: Int) { state = Monitor(State(allowed: packets)) }

    /// Waits until packet `number`, counted from 0, has come.
    public func pass(_ number: Int) {
        state.change { $0.waiting = number }
        state.wait { state -> Bool? in
            guard number < state.allowed else { return nil }
            state.waiting = nil
            return true
        }
    }

    /// Lets packets through, so many since the beginning.
    public func allow(packets: Int) { state.change { $0.allowed = max($0.allowed, packets) } }

    /// Lets everything through.
    public func open() { allow(packets: .max) }

    /// Whether the reader waits for a packet that has not come.
    public var isClosed: Bool {
        state.withLock { state in state.waiting.map { $0 >= state.allowed } ?? false }
    }

    /// Waits until the reader waits for a packet that has not come.
    public func waitUntilClosed() {
        state.wait { state -> Bool? in
            state.waiting.map { $0 >= state.allowed } == true ? true : nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads

/// A source that delivers a number of packets and then makes its reader wait, like a network.
///
///     let gate = SourceGate(packets: 100)
///     media.transfer = TransferMonitor(clock: clock, isNetwork: true)
///     media.faults.willReadPacket = { number in gate.pass(number) }
///
/// - Concurrency: any thread.
/// - Ownership: a thread that waits at the gate keeps it; open it at the end of the test.
public final class SourceGate: Sendable {
    private struct State {
        var allowed: Int
        var waiting: Int?
    }
    private let state: Monitor<State>

    /// Creates a gate.
    ///
    /// - Parameter packets: The number of packets before the first wait.
    public init(packets: Int) { state = Monitor(State(allowed: packets)) }

    /// Waits until packet `number`, counted from 0, is allowed.
    public func pass(_ number: Int) {
        state.change { $0.waiting = number }
        state.wait { state -> Bool? in
            guard number < state.allowed else { return nil }
            state.waiting = nil
            return true
        }
    }

    /// Allows a number of packets, counted from the beginning.
    public func allow(packets: Int) { state.change { $0.allowed = max($0.allowed, packets) } }

    /// Allows all packets.
    public func open() { allow(packets: .max) }

    /// A Boolean value that indicates whether the reader waits for a packet.
    public var isClosed: Bool {
        state.withLock { state in state.waiting.map { $0 >= state.allowed } ?? false }
    }

    /// Waits until the reader waits for a packet.
    public func waitUntilClosed() {
        state.wait { state -> Bool? in
            state.waiting.map { $0 >= state.allowed } == true ? true : nil
        }
    }
}

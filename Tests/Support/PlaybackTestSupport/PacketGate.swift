// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadTime

/// A source that delivers the packets before a time, and lets its reader wait for the others, like
/// a network.
///
/// - Concurrency: any thread.
final class PacketGate: Sendable {
    private struct State {
        var arrived: MediaTime
        /// Boolean values that indicate whether the reader waits, and whether its read has to end.
        var isWaiting = false
        var isInterrupted = false
    }
    private let state: Monitor<State>

    init(arrived: MediaTime) { state = Monitor(State(arrived: arrived)) }

    /// Waits until a packet has arrived, or the read is interrupted.
    func pass(_ time: MediaTime) {
        state.wait { state -> Bool? in
            if time < state.arrived || state.isInterrupted {
                (state.isWaiting, state.isInterrupted) = (false, false)
                return true
            }
            state.isWaiting = true
            return nil
        }
    }

    /// Lets the packets before a time arrive.
    func arrive(before time: MediaTime) {
        state.change { state in
            state.arrived = time
            state.isWaiting = false
        }
    }

    /// Ends the read that waits: the reader has to move, and its packet is refused.
    func interrupt() {
        state.change { state in
            guard state.isWaiting else { return }
            (state.isWaiting, state.isInterrupted) = (false, true)
        }
    }

    /// A Boolean value that indicates whether the reader waits.
    var isClosed: Bool { state.withLock { $0.isWaiting } }
}

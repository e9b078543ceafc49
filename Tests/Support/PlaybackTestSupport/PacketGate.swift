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
        /// The number of waits so far. Boolean values that indicate whether the reader waits, and
        /// whether its read has to end.
        var waitCount = 0
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
            if !state.isWaiting { state.waitCount += 1 }
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

    /// The number of the wait that the reader is in; nil while it does not wait.
    var currentWait: Int? { state.withLock { $0.isWaiting ? $0.waitCount : nil } }
}

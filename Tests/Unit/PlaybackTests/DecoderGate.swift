// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads

/// A gate before the creation of a track's decoders.
///
/// - Concurrency: any thread.
final class DecoderGate: Sendable {
    private struct State {
        var isOpen = true
        var isReached = false
    }
    private let track: Int
    private let state = Monitor(State())

    /// Creates an open gate.
    init(track: Int) { self.track = track }

    /// Waits while the gate is closed for the track.
    func pass(_ track: Int) {
        guard track == self.track else { return }
        state.change { $0.isReached = !$0.isOpen }
        state.wait { $0.isOpen ? true : nil }
    }

    func close() { state.change { $0.isOpen = false } }
    func open() { state.change { $0.isOpen = true } }

    /// Waits until a decoder waits at the closed gate.
    func waitUntilReached() { state.wait { $0.isReached ? true : nil } }
}

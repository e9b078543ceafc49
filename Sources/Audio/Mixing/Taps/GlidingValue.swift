// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A number that any thread can set. The value that the audio callback uses moves towards that
/// number gradually.
///
/// - Concurrency: `target` on any thread; everything else in the audio callback, or while no audio
///   is processed.
final class GlidingValue: @unchecked Sendable {
    // Unchecked: `value` and `isStarted` are touched only by the audio callback, and by the
    // `prepare` of a tap while no audio is processed.

    private let bits: Atomic<UInt64>
    private(set) var value: Double
    private var isStarted = false

    init(_ value: Double) {
        bits = Atomic(value.bitPattern)
        self.value = value
    }

    var target: Double {
        get { Double(bitPattern: bits.load(ordering: .relaxed)) }
        set { bits.store(newValue.bitPattern, ordering: .relaxed) }
    }

    /// A Boolean value that indicates whether the value has reached its target.
    var isSettled: Bool { isStarted && value == target }

    /// Moves by a fraction of the remaining distance, but by at most `limit`. If the remaining
    /// distance is small, the value reaches the target at once.
    func advance(by share: Double, atMost limit: Double = .infinity) {
        let target = target
        guard isStarted else { return jump() }
        value += max(-limit, min(limit, (target - value) * share))
        if abs(target - value) <= 1e-4 * max(abs(target), 1e-3) { value = target }
    }

    /// Moves to the target at once. Used after silence.
    func jump() {
        value = target
        isStarted = true
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A number that any thread sets, and that the sound callback approaches smoothly.
///
/// - Concurrency: `target` from any thread; `advance` and `value` from the sound callback.
final class GlidingValue: @unchecked Sendable {
    // Unchecked: `value` is touched by the sound callback only.

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

    /// Whether nothing is left to approach.
    var isSettled: Bool { isStarted && value == target }

    /// Comes nearer by a share of what is left, by `limit` at most; what is nearly reached is reached.
    func advance(by share: Double, atMost limit: Double = .infinity) {
        let target = target
        guard isStarted else { return jump() }
        value += max(-limit, min(limit, (target - value) * share))
        if abs(target - value) <= 1e-4 * max(abs(target), 1e-3) { value = target }
    }

    /// Is there at once: nothing was heard before.
    func jump() {
        value = target
        isStarted = true
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the openings of assets, or the assets that are open, on any thread.
final class OpenCounter: Sendable {
    private let total = Atomic(0)
    private let most = Atomic(0)

    var count: Int { total.load(ordering: .relaxed) }
    /// The highest value that `count` has had.
    var maximum: Int { most.load(ordering: .relaxed) }
    func note() { most.max(total.add(1, ordering: .relaxed).newValue, ordering: .relaxed) }
    func remove() { total.subtract(1, ordering: .relaxed) }
}

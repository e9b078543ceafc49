// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The rate of a player.
///
/// Without an item, the player sets it. With an item, the transport of the current item sets it in
/// the same step in which it accepts a rate, rejects one, or reaches the end. Therefore no thread
/// can see a change of the transport without the corresponding change of the rate.
///
/// - Concurrency: any thread. The lock of an item is held.
final class PlayerRate: Sendable {
    private let rate = Mutex(0.0)

    var value: Double {
        get { rate.withLock { $0 } }
        set { rate.withLock { $0 = newValue } }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The rate of a player.
///
/// Without an item the player sets it. Otherwise the transport of the current item does, in the
/// step in which it accepts a rate, refuses it, or comes to the end, so that no thread finds one of
/// them changed and the other not.
///
/// - Concurrency: any thread; with the lock of an item held.
final class PlayerRate: Sendable {
    private let rate = Mutex(0.0)

    var value: Double {
        get { rate.withLock { $0 } }
        set { rate.withLock { $0 = newValue } }
    }
}

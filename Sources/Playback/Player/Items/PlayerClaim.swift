// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The player that has an item, so that no other takes it as well: each would set its rate, and
/// only one would be notified of its end.
///
/// - Concurrency: any thread.
final class PlayerClaim: Sendable {
    private struct Holder {
        weak var player: (any AnyObject & Sendable)?
    }

    private let holder = Mutex(Holder())

    /// Takes the item for a player; returns false if another one has it and still exists.
    func take(for player: any AnyObject & Sendable) -> Bool {
        holder.withLock { holder in
            let present = holder.player
            guard present == nil || present === player else { return false }
            holder.player = player
            return true
        }
    }
}

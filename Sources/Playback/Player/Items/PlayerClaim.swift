// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The player to which an item belongs. No other player may take the item, because both would set
/// its rate, and only one would be notified of its end.
///
/// - Concurrency: any thread.
final class PlayerClaim: Sendable {
    private struct Holder {
        weak var player: (any AnyObject & Sendable)?
    }

    private let holder = Mutex(Holder())

    /// A Boolean value that indicates whether a player has the item.
    var isTaken: Bool { holder.withLock { $0.player != nil } }

    /// Takes the item for a player. Returns false if it belongs to another player that still
    /// exists.
    func take(for player: any AnyObject & Sendable) -> Bool {
        holder.withLock { holder in
            let present = holder.player
            guard present == nil || present === player else { return false }
            holder.player = player
            return true
        }
    }
}

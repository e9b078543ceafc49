// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Which player an item has been given to, so that no other one takes it besides: each would set its rate,
/// and one alone would hear of its end.
///
/// - Concurrency: any thread.
final class PlayerClaim: Sendable {
    private struct Holder {
        weak var player: Player?
    }

    private let holder = Mutex(Holder())

    /// Takes the item for a player; false where another one has it, and is still there.
    func take(for player: Player) -> Bool {
        holder.withLock { holder in
            let present = holder.player
            guard present == nil || present === player else { return false }
            holder.player = player
            return true
        }
    }
}

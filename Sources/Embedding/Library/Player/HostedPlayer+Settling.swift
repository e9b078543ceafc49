// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
import PlayheadTime
import Synchronization

/// Makes the player play the media that the host has opened. That media can change at any time.
///
/// The open media is in `control`. No lock is held while the player is changed, because the player
/// calls its observers. After each change, the player is therefore compared with the open media
/// again, until both agree.
extension HostedPlayer {
    /// Makes the open media the player's current item. If nothing is open, removes the current
    /// item.
    ///
    /// One thread at a time does this. It also applies the changes of other threads, which do not
    /// wait for it. An item that was removed from a player cannot be used again, so an item that
    /// was closed in the meantime must not be inserted.
    func settleFilm() {
        let isMine = control.withLock { control in
            defer { control.isSettlingFilm = true }
            return !control.isSettlingFilm
        }
        guard isMine else { return }
        while true {
            let (item, player) = control.withLock { ($0.film?.item, $0.device.player) }
            if player.currentItem !== item { player.replaceCurrentItem(with: item) }
            let isSettled = control.withLock { control in
                let isSettled =
                    control.film?.item === item && control.device.player === player
                control.isSettlingFilm = !isSettled
                return isSettled
            }
            if isSettled { return }
        }
    }

    /// Records that a number of reached ends have been handled. The ends of a loop's iterations are
    /// included.
    func hasHeardEnds(_ count: Int = 1, of item: PlayerItem) {
        control.withLock { control in
            if control.film?.item === item { control.film?.heardEnds += count }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
import PlayheadTime
import Synchronization

/// Functions that bring the player into the state that the host has requested. Any thread can
/// change the requested state at any time.
///
/// The requested state is in `control`. No lock is held while the player is changed, because the
/// player calls its observers. Each function therefore compares the states again after a change,
/// and repeats the change until they agree.
extension HostedPlayer {
    /// Sets the player's rate to the requested one.
    func settleRate() {
        while true {
            let (rate, player) = control.withLock { ($0.wantedRate, $0.device.player) }
            player.rate = rate
            let isSettled = control.withLock { control in
                control.wantedRate == rate && control.device.player === player
            }
            if isSettled { return }
        }
    }

    /// Makes the open media the player's current item, or removes it.
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
            let (item, player, rate) = control.withLock {
                ($0.film?.item, $0.device.player, $0.wantedRate)
            }
            if player.currentItem !== item {
                player.replaceCurrentItem(with: item)
                // The player has kept its rate, but the host may have requested another one in the
                // meantime.
                let wanted = control.withLock { $0.wantedRate }
                if wanted == 0 || wanted != rate { settleRate() }
            }
            let isSettled = control.withLock { control in
                let isSettled =
                    control.film?.item === item && control.device.player === player
                control.isSettlingFilm = !isSettled
                return isSettled
            }
            if isSettled { return }
        }
    }

    /// Sets the end of playback to the end of the loop while there are iterations left.
    func settleLoop() {
        while true {
            let (item, loop) = control.withLock { ($0.film?.item, $0.loop) }
            guard let item else { return }
            let (start, end) = loop.bounds(in: item)
            item.forwardPlaybackEndTime = end
            item.reversePlaybackEndTime = start
            let isSettled = control.withLock { control in
                control.film?.item === item && control.loop.isBound(as: loop)
            }
            if isSettled { return }
        }
    }

    /// Records that the end of an iteration or of the media was reached and has been handled.
    func hasHeardEnd(of item: PlayerItem) {
        control.withLock { control in
            if control.film?.item === item { control.film?.heardEnds += 1 }
        }
    }
}

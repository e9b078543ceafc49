// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
import PlayheadTime
import Synchronization

/// Bringing the player to what the host wants, which any thread may change at any moment.
///
/// What is wanted is in `control`. No lock is held while the player is changed, for it tells its
/// observers; so it is looked again afterwards, until nothing else is wanted than what was done.
extension HostedPlayer {
    /// Has the player run at the rate that is wanted.
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

    /// Has the player play the film that is open, or none.
    ///
    /// One thread does it at a time, and does it for those that come meanwhile, which do not wait:
    /// a film that was taken out of the player once is over, so none may be put in its place too
    /// late.
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
                // It goes on at the rate that the player had before: what was asked for meanwhile
                // counts.
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

    /// Has the film that is open end where its rounds do, as long as any is left.
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

    /// An end that the film has been played to has been answered.
    func hasHeardEnd(of item: PlayerItem) {
        control.withLock { control in
            if control.film?.item === item { control.film?.heardEnds += 1 }
        }
    }
}

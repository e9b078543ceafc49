// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
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
}

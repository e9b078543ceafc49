// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets

extension Player {
    /// The status of the current item, which shows whether the player can play. It is `unknown` if
    /// there is no item, and while the item is being opened. After that, it is `readyToPlay` or
    /// `failed`.
    ///
    /// A player that has failed plays again if its item is replaced. The failure of an audio device
    /// is not a failure of the player: see `audioError`.
    ///
    /// - Corresponds to: `AVPlayer.status`.
    public var status: PlayerItem.Status {
        observable.access(self, \.status)
        return observers.state.status
    }

    /// The reason for the failure; nil if the player has not failed.
    ///
    /// - Corresponds to: `AVPlayer.error`.
    public var error: MediaError? {
        observable.access(self, \.error)
        return if case .failed(let error) = observers.state.status { error } else { nil }
    }
}

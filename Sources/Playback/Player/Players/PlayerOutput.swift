// SPDX-License-Identifier: Apache-2.0

/// An output of a player, as the player sees it.
protocol PlayerOutput: AnyObject, Sendable {
    /// Called by the player, with a lock held, when its items may have changed.
    ///
    /// - Returns: a closure to call without a lock, which notifies clients; nil if the items have
    ///   not changed.
    func follow(_ current: PlayerItem?, _ upcoming: [PlayerItem]) -> (@Sendable () -> Void)?
}

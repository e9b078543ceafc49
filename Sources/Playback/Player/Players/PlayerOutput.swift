// SPDX-License-Identifier: Apache-2.0

/// The interface of an output to the player that it follows.
protocol PlayerOutput: AnyObject, Sendable {
    /// Updates the items of the output. The player calls this method, with a lock held, when the
    /// player's items may have changed.
    ///
    /// - Returns: a closure that notifies clients, to be called without a lock; nil if the items
    ///   have not changed.
    func follow(_ current: PlayerItem?, _ upcoming: [PlayerItem]) -> (@Sendable () -> Void)?
}

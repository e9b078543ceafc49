// SPDX-License-Identifier: Apache-2.0

/// A loop of items in a queue, as the queue sees it.
///
/// - Concurrency: any thread; called without a lock held.
protocol ItemLoop: AnyObject, Sendable {
    /// The copies that alternate.
    var loopingPlayerItems: [PlayerItem] { get }
    /// Ends looping after the present round.
    func disableLooping()
    /// Moves a copy back to the beginning of a round.
    func rewind(_ item: PlayerItem)
    /// Counts a round that has been played to its end.
    func roundHasEnded()
    /// Ends looping, because the player has removed the items.
    func wasRemoved()
}

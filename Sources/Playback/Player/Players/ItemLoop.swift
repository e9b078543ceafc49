// SPDX-License-Identifier: Apache-2.0

/// The interface of a loop of items to the queue that contains them.
///
/// - Concurrency: any thread. No lock is held during calls.
protocol ItemLoop: AnyObject, Sendable {
    /// The copies that take turns in the loop.
    var loopingPlayerItems: [PlayerItem] { get }
    /// Ends the loop after the current repetition.
    func disableLooping()
    /// Moves a copy back to the beginning of a repetition.
    func rewind(_ item: PlayerItem)
    /// Counts a repetition that has been played to its end.
    func roundHasEnded()
    /// Ends the loop, because the player has removed its items.
    func wasRemoved()
}

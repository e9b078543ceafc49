// SPDX-License-Identifier: Apache-2.0

/// An output of an item, as its pipeline sees it.
///
/// - Concurrency: any thread; called without a lock held.
protocol ItemOutput: AnyObject, Sendable {
    /// The identifier of the last frame that was taken for a vsync.
    var drawn: UInt64? { get }
    /// A Boolean value that indicates whether it shows the item instead of the player.
    var suppressesPlayerRendering: Bool { get }
    /// Handles `OutputEvent.flushed`.
    func sequenceWasFlushed()
    /// Handles `OutputEvent.willChange`.
    func reconsider()
}

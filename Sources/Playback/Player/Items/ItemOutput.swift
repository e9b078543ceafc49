// SPDX-License-Identifier: Apache-2.0

/// The interface of an output to the pipeline of its item.
///
/// - Concurrency: any thread. No lock is held during calls.
protocol ItemOutput: AnyObject, Sendable {
    /// The identifier of the last frame that was taken for a vsync.
    var drawn: UInt64? { get }
    /// The identifier of the video track that the output shows; nil for the first enabled one.
    var trackID: Int? { get }
    /// Sets the frames that the output shows; nil to show no frames.
    func show(_ frames: FrameQueue?)
    /// A Boolean value that indicates whether the output shows the item instead of the player.
    var suppressesPlayerRendering: Bool { get }
    /// Handles `OutputEvent.flushed`.
    func sequenceWasFlushed()
    /// Handles `OutputEvent.willChange`.
    func reconsider()
}

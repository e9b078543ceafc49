// SPDX-License-Identifier: Apache-2.0

/// A delegate that is notified when an output that has no new frames is about to have some.
///
/// The renderer of a paused item stops asking for frames, and requests a notification instead:
///
///     if !output.hasNewPixelBuffer(forItemTime: time), player.rate == 0 {
///         output.requestNotificationOfMediaDataChange(withAdvanceInterval: .zero)
///         link.isPaused = true
///     }
///
/// - Concurrency: called on the queue passed to `setDelegate(_:queue:)`.
/// - Corresponds to: `AVPlayerItemOutputPullDelegate`.
public protocol PlayerItemOutputPullDelegate: AnyObject, Sendable {
    /// Called before new frames become available, once for every request.
    func outputMediaDataWillChange(_ output: PlayerItemVideoOutput)

    /// Called when a seek has begun, so that frames that were pulled ahead of the playhead will not
    /// be due. It is called for every seek, and needs no request.
    func outputSequenceWasFlushed(_ output: PlayerItemVideoOutput)
}

extension PlayerItemOutputPullDelegate {
    /// The default implementation does nothing.
    public func outputMediaDataWillChange(_ output: PlayerItemVideoOutput) {}
    /// The default implementation does nothing.
    public func outputSequenceWasFlushed(_ output: PlayerItemVideoOutput) {}
}

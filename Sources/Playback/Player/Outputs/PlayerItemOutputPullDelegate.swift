// SPDX-License-Identifier: Apache-2.0

/// A delegate that is notified when an output is about to have new frames.
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
    /// Called once for every request, when new frames are about to become available.
    func outputMediaDataWillChange(_ output: PlayerItemVideoOutput)

    /// Called when a seek has begun. Frames that were pulled ahead of the playhead are then no
    /// longer due. The call is made for every seek, and needs no request.
    func outputSequenceWasFlushed(_ output: PlayerItemVideoOutput)
}

extension PlayerItemOutputPullDelegate {
    /// The default implementation does nothing.
    public func outputMediaDataWillChange(_ output: PlayerItemVideoOutput) {}
    /// The default implementation does nothing.
    public func outputSequenceWasFlushed(_ output: PlayerItemVideoOutput) {}
}

// SPDX-License-Identifier: Apache-2.0

/// Is told when an output that had nothing to show will have something again.
///
/// A renderer whose film stands still stops asking for pictures, and asks to be told instead:
///
///     if !output.hasNewPixelBuffer(forItemTime: time), player.rate == 0 {
///         output.requestNotificationOfMediaDataChange(withAdvanceInterval: .zero)
///         link.isPaused = true
///     }
///
/// - Concurrency: called on the queue that was given to `setDelegate(_:queue:)`.
/// - Corresponds to: `AVPlayerItemOutputPullDelegate`.
public protocol PlayerItemOutputPullDelegate: AnyObject, Sendable {
    /// New pictures are about to be available. Comes once for every request.
    func outputMediaDataWillChange(_ output: PlayerItemVideoOutput)

    /// A seek has begun: pictures that were pulled ahead of the playhead will not be due. Comes for
    /// every seek, asked for or not.
    func outputSequenceWasFlushed(_ output: PlayerItemVideoOutput)
}

extension PlayerItemOutputPullDelegate {
    public func outputMediaDataWillChange(_ output: PlayerItemVideoOutput) {}
    public func outputSequenceWasFlushed(_ output: PlayerItemVideoOutput) {}
}

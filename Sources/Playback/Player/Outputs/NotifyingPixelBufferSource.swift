// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A source that notifies its clients of the next frame, so that they do not have to poll at every
/// vsync.
///
/// - Concurrency: any thread.
/// - Corresponds to: the notifying methods of `AVPlayerItemVideoOutput`.
public protocol NotifyingPixelBufferSource: PixelBufferSource {
    /// Calls `handler` once, when another frame is about to become available. If there is another
    /// frame already, the call is immediate. Any number of clients can wait at the same time.
    ///
    /// - Parameters:
    ///   - interval: The time for preparation: the call is made this long before the frame is due.
    ///     If less time than that is left, the call is made as soon as possible.
    ///   - queue: The queue on which the handler runs.
    /// - Returns: a token. Cancelling or releasing it ends the wait.
    func notifyOfMediaDataChange(
        withAdvanceInterval interval: MediaTime, on queue: ObservationQueue,
        handler: @escaping @Sendable () -> Void
    ) -> ObservationToken
}

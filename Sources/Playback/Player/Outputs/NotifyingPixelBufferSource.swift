// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A source that notifies its clients of the next frame, so that they need not poll at every vsync.
///
/// - Concurrency: any thread.
/// - Corresponds to: the notifying methods of `AVPlayerItemVideoOutput`.
public protocol NotifyingPixelBufferSource: PixelBufferSource {
    /// Calls `handler` once, before there is another frame to pull; at once if there is one
    /// already. Any number of clients may wait at the same time.
    ///
    /// - Parameters:
    ///   - interval: The time before the frame is due at which the call is wanted, for preparation;
    ///     it comes later if there is less time.
    ///   - queue: The queue on which the handler runs.
    /// - Returns: a token that ends the wait when it is cancelled or released.
    func notifyOfMediaDataChange(
        withAdvanceInterval interval: MediaTime, on queue: ObservationQueue,
        handler: @escaping @Sendable () -> Void
    ) -> ObservationToken
}

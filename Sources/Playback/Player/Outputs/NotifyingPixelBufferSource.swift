// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A source that tells when it will have another picture, so that nobody has to ask at every vsync.
///
/// - Concurrency: any thread.
/// - Corresponds to: the notifying methods of `AVPlayerItemVideoOutput`.
public protocol NotifyingPixelBufferSource: PixelBufferSource {
    /// Calls `handler` once, before there is another picture to pull; at once where there is one
    /// already. Any number may wait at the same time.
    ///
    /// - Parameters:
    ///   - interval: how long before the picture is due the call is wanted, to get ready; it comes
    ///     later where there is less time.
    ///   - queue: where the handler runs.
    /// - Returns: what ends the wait when it is cancelled or dropped.
    func notifyOfMediaDataChange(
        withAdvanceInterval interval: MediaTime, on queue: ObservationQueue,
        handler: @escaping @Sendable () -> Void
    ) -> ObservationToken
}

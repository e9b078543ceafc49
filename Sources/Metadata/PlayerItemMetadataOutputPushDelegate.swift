// SPDX-License-Identifier: Apache-2.0

public import PlayheadPlayback

/// A delegate that receives timed metadata.
///
/// - Concurrency: called on the queue passed to `setDelegate(_:queue:)`.
/// - Corresponds to: `AVPlayerItemMetadataOutputPushDelegate`.
public protocol PlayerItemMetadataOutputPushDelegate: AnyObject, Sendable {
    /// Called when groups are due.
    ///
    /// - Parameters:
    ///   - groups: The groups, in the order of their times.
    ///   - track: The track that contains them; nil if they are not part of a track.
    func metadataOutput(
        _ output: PlayerItemMetadataOutput, didOutput groups: [TimedMetadataGroup],
        from track: PlayerItemTrack?)

    /// Called when a seek has begun. Groups that were delivered ahead of their times are then no
    /// longer due.
    func outputSequenceWasFlushed(_ output: PlayerItemMetadataOutput)
}

extension PlayerItemMetadataOutputPushDelegate {
    /// The default implementation does nothing.
    public func outputSequenceWasFlushed(_ output: PlayerItemMetadataOutput) {}
}

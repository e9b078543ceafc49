// SPDX-License-Identifier: Apache-2.0

/// A delegate that receives date ranges.
///
/// - Concurrency: called on the queue passed to `setDelegate(_:queue:)`.
/// - Corresponds to: `AVPlayerItemMetadataCollectorPushDelegate`.
public protocol PlayerItemMetadataCollectorPushDelegate: AnyObject, Sendable {
    /// Called when the playlist states other date ranges than before.
    ///
    /// - Parameters:
    ///   - groups: All date ranges that the playlist states, in its order.
    ///   - new: The indices of the groups that were not there before.
    ///   - modified: The indices of the groups that have changed, for example because their end is
    ///     known now.
    func metadataCollector(
        _ collector: PlayerItemMetadataCollector, didCollect groups: [DateRangeMetadataGroup],
        indexesOfNewGroups new: [Int], indexesOfModifiedGroups modified: [Int])
}

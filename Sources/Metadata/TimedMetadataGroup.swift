// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

/// Metadata that applies to a time of an item, such as the title of a song in a radio programme.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVTimedMetadataGroup`.
public struct TimedMetadataGroup: Sendable, Hashable {
    /// The items, in the order of the file.
    public let items: [MetadataItem]
    /// The time on the item's timeline to which the items apply. The duration is zero if they
    /// belong to a moment, as ID3 in a transport stream does, and `positiveInfinity` if they apply
    /// until the next group, as titles of internet radio do.
    public let timeRange: MediaTimeRange

    /// Creates the group with the items that have one of the identifiers. Fails if there are none.
    init?(_ metadata: TimedMetadata, identifiers: [String]?) {
        items = metadata.items.filter { $0.matches(identifiers) }
        timeRange = metadata.timeRange
        if items.isEmpty { return nil }
    }
}

extension MetadataItem {
    /// Returns whether the item's identifier is one of those in a list, or a part of one of them;
    /// true without a list.
    func matches(_ identifiers: [String]?) -> Bool {
        guard let identifiers else { return true }
        let own = identifier
        return identifiers.contains { own == $0 || own.hasPrefix($0 + "/") }
    }
}

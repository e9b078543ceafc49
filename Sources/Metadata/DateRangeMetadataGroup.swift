// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets
public import PlayheadTime

/// Metadata that an HLS playlist states for a range of dates (`EXT-X-DATERANGE`), such as a
/// programme or an advertisement.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVDateRangeMetadataGroup`.
public struct DateRangeMetadataGroup: Sendable, Hashable {
    /// The identifier, which is unique within the playlist.
    public let uniqueID: String
    /// The class that the playlist states; nil if it states none.
    public let classifyingLabel: String?
    /// The beginning.
    public let startDate: Date
    /// The end; nil if it is not known yet.
    public let endDate: Date?
    /// The range on the item's timeline. It is `invalid` if the playlist states no dates of its
    /// segments, and its duration is `positiveInfinity` if the end is not known yet.
    public let timeRange: MediaTimeRange
    /// The other attributes, such as `X-ASSET-URI`, in the order of their names. Values of
    /// `SCTE35-OUT` and the like are data.
    public let items: [MetadataItem]

    init(_ range: DateRange, identifiers: [String]?) {
        uniqueID = range.identifier
        classifyingLabel = range.classifyingLabel
        startDate = Date(timeIntervalSince1970: range.start)
        endDate = range.end.map { Date(timeIntervalSince1970: $0) }
        timeRange = range.timeRange
        items = range.items.filter { $0.matches(identifiers) }
    }
}

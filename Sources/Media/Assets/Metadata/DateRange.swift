// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// Metadata that a stream declares for a range of dates (RFC 8216, section 4.3.2.7).
///
/// - Concurrency: any thread.
package struct DateRange: Sendable, Hashable {
    /// The identifier, which is unique within the stream.
    package var identifier: String
    /// The class that the stream defines; nil if it states none.
    package var classifyingLabel: String?
    /// The beginning, in seconds since the beginning of 1970 in UTC.
    package var start: Double
    /// The end, in the same form; nil if it is not known yet.
    package var end: Double?
    /// The range on the asset's timeline; `invalid` if the stream does not state the dates of its
    /// segments. The duration is `positiveInfinity` if the end is not known yet.
    package var timeRange = MediaTimeRange.invalid
    /// The attributes that have no other property here, in the order of their names.
    package var items: [MetadataItem]

    package init(
        identifier: String, classifyingLabel: String?, start: Double, end: Double?,
        items: [MetadataItem]
    ) {
        self.identifier = identifier
        self.classifyingLabel = classifyingLabel
        self.start = start
        self.end = end
        self.items = items
    }
}

// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// Metadata that applies to a time of an asset, such as the title of a song in a radio programme.
///
/// - Concurrency: any thread.
package struct TimedMetadata: Sendable, Hashable {
    /// The identifier of the track that contains it; nil if it is not part of a track.
    package var trackID: Int?
    /// The time to which it applies. The duration is zero for a moment, and `positiveInfinity` if
    /// it applies until the next metadata of the same track.
    package var timeRange: MediaTimeRange
    /// The items.
    package var items: [MetadataItem]

    package init(trackID: Int?, timeRange: MediaTimeRange, items: [MetadataItem]) {
        self.trackID = trackID
        self.timeRange = timeRange
        self.items = items
    }

    /// The approximate size in memory, in bytes.
    package var byteCount: Int {
        items.reduce(64) { $0 + 96 + $1.key.utf8.count + $1.value.byteCount }
    }
}

extension MetadataItem.Value {
    /// The size of the value, in bytes.
    package var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .data(let bytes, let type): bytes.count + type.utf8.count
        }
    }
}

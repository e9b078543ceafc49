// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A titled stretch of an asset.
///
/// - Corresponds to: the items of an `AVTimedMetadataGroup` for chapters.
public struct Chapter: Sendable, Hashable {
    public var title: String
    public var timeRange: MediaTimeRange

    public init(title: String, timeRange: MediaTimeRange) {
        self.title = title
        self.timeRange = timeRange
    }
}

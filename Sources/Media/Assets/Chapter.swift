// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A section of an asset that has a title.
///
/// - Corresponds to: the items of an `AVTimedMetadataGroup` for chapters.
public struct Chapter: Sendable, Hashable {
    /// The chapter's title; empty if the chapter has no title.
    public var title: String
    /// The chapter's time range.
    public var timeRange: MediaTimeRange
    /// The language of the title, or nil if the file does not declare one.
    public var language: LanguageTag?
    /// The track that contains an image for the start of the chapter; nil if the chapter has no
    /// image other than the frames of the video.
    package var imageTrackID: Int?

    package init(
        title: String, timeRange: MediaTimeRange, language: LanguageTag? = nil,
        imageTrackID: Int? = nil
    ) {
        self.title = title
        self.timeRange = timeRange
        self.language = language
        self.imageTrackID = imageTrackID
    }
}

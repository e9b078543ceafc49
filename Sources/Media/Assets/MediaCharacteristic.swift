// SPDX-License-Identifier: Apache-2.0

/// A property of a track, in addition to its type, that describes its purpose.
///
/// - Corresponds to: `AVMediaCharacteristic`; FFmpeg's `AV_DISPOSITION_…`.
public struct MediaCharacteristic: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The track can be heard.
    public static let audible = Self(rawValue: "audible")
    /// The track can be seen.
    public static let visual = Self(rawValue: "visual")
    /// The track can be read, as subtitles and captions can.
    public static let legible = Self(rawValue: "legible")
    /// Subtitles that are shown even if subtitles are off, such as translations of signs and
    /// foreign speech.
    public static let containsOnlyForcedSubtitles = Self(rawValue: "forced")
    /// Subtitles that also describe sounds, for people who are deaf or hard of hearing.
    public static let transcribesSpokenDialogForAccessibility = Self(rawValue: "hearing impaired")
    /// Closed captions of CEA-608 or CEA-708, with the positions and styles of a broadcast.
    package static let closedCaptions = Self(rawValue: "closed captions")
    /// Audio that describes the video, for people who are blind or have low vision.
    public static let describesVideoForAccessibility = Self(rawValue: "visual impaired")
    /// Additional content, such as a director's commentary.
    public static let isAuxiliaryContent = Self(rawValue: "comment")
    /// The original language of the production.
    public static let isOriginalContent = Self(rawValue: "original")
    /// Speech translated by other speakers.
    public static let dubbedTranslation = Self(rawValue: "dub")
    /// The lyrics of a song.
    public static let lyrics = Self(rawValue: "lyrics")
    /// Music without the singer's voice.
    public static let karaoke = Self(rawValue: "karaoke")
    /// A still image that belongs to the whole asset, such as an album's cover.
    public static let attachedPicture = Self(rawValue: "attached picture")
    /// Images along the timeline, such as images of chapters.
    public static let timedThumbnails = Self(rawValue: "timed thumbnails")
}

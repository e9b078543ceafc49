// SPDX-License-Identifier: Apache-2.0

/// A purpose of a track, besides its type.
///
/// - Corresponds to: `AVMediaCharacteristic`; FFmpeg's `AV_DISPOSITION_…`.
public struct MediaCharacteristic: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// It can be heard.
    public static let audible = Self(rawValue: "audible")
    /// It can be seen.
    public static let visual = Self(rawValue: "visual")
    /// It can be read: subtitles and captions.
    public static let legible = Self(rawValue: "legible")
    /// To be shown even where no subtitles are wanted: translations of signs and foreign speech.
    public static let containsOnlyForcedSubtitles = Self(rawValue: "forced")
    /// Subtitles that describe sounds too, for people who cannot hear them.
    public static let transcribesSpokenDialogForAccessibility = Self(rawValue: "hearing impaired")
    /// Audio that describes the video, for people who cannot see it.
    public static let describesVideoForAccessibility = Self(rawValue: "visual impaired")
    /// Not part of the film itself, such as a director's commentary.
    public static let isAuxiliaryContent = Self(rawValue: "comment")
    /// In the language that the film was made in.
    public static let isOriginalContent = Self(rawValue: "original")
    /// Speech translated by other speakers.
    public static let dubbedTranslation = Self(rawValue: "dub")
    /// Words of a song, with or for the music.
    public static let lyrics = Self(rawValue: "lyrics")
    /// Music without its voice.
    public static let karaoke = Self(rawValue: "karaoke")
    /// A still picture that belongs to the whole, such as an album's cover.
    public static let attachedPicture = Self(rawValue: "attached picture")
    /// Pictures along the timeline, for chapters.
    public static let timedThumbnails = Self(rawValue: "timed thumbnails")
}

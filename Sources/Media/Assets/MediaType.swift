// SPDX-License-Identifier: Apache-2.0

/// The type of media that a track carries.
///
/// - Corresponds to: `AVMediaType`.
public enum MediaType: String, Sendable, Hashable, CaseIterable {
    /// Frames of a video, or a single image.
    case video
    /// Audio samples.
    case audio
    /// Subtitles, as text or as bitmaps.
    case subtitle
    /// Closed captions, CEA-608 or CEA-708, in a track of their own or within the video.
    case closedCaption
    /// The time code of the recording, as QuickTime and MP4 files store it.
    case timecode
    /// Timed metadata, such as ID3 tags and splice information, or the samples of a metadata track.
    case metadata
    /// Timed data of another kind.
    case data
    /// A file within the file, such as a font.
    case attachment

    /// A Boolean value that indicates whether the track is shown as text: subtitles or captions.
    package var isLegible: Bool { self == .subtitle || self == .closedCaption }
}

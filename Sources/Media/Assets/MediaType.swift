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
    /// Timed data of another kind.
    case data
    /// A file within the file, such as a font.
    case attachment
}

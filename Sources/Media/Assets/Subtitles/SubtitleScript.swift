// SPDX-License-Identifier: Apache-2.0

/// The parts that the lines of a subtitle track share: the styles, and the fonts embedded in the
/// file.
///
/// - Concurrency: a value; any thread.
package struct SubtitleScript: Sendable, Hashable {
    /// The header of an ASS script, with its styles; empty for tracks with bitmaps.
    package var header: String
    /// A Boolean value that indicates whether the header comes from the author. If not, it was
    /// generated for plain text.
    package var isStyled: Bool
    /// The fonts that the container holds as attachments.
    package var fonts: [SubtitleFont]

    package init(header: String = "", isStyled: Bool = false, fonts: [SubtitleFont] = []) {
        self.header = header
        self.isStyled = isStyled
        self.fonts = fonts
    }
}

/// A font in a media file, for the subtitles of that file.
package struct SubtitleFont: Sendable, Hashable {
    /// The file's name.
    package var name: String
    /// The contents of the font file.
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

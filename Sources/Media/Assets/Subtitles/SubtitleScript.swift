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
    /// A grid of characters in the middle of the video, as closed captions have.
    package struct Grid: Sendable, Hashable {
        /// The ratio of the width to the height of the script's area, in square pixels. In wider
        /// videos, the area is in the middle.
        package var aspectRatio: Double
        /// The distance between adjacent characters, in units of the script.
        package var columnWidth: Double

        package init(aspectRatio: Double, columnWidth: Double) {
            (self.aspectRatio, self.columnWidth) = (aspectRatio, columnWidth)
        }
    }

    /// The grid that positions refer to; nil if they refer to the whole video.
    package var grid: Grid?

    package init(
        header: String = "", isStyled: Bool = false, fonts: [SubtitleFont] = [],
        grid: Grid? = nil
    ) {
        self.header = header
        self.isStyled = isStyled
        self.fonts = fonts
        self.grid = grid
    }
}

/// A font in a media file, for the subtitles of that file.
package struct SubtitleFont: Sendable, Hashable {
    /// The name of the font file.
    package var name: String
    /// The contents of the font file.
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

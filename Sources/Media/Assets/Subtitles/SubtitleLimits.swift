// SPDX-License-Identifier: Apache-2.0

/// The limits beyond which subtitles are refused or ignored.
package struct SubtitleLimits: Sendable, Hashable {
    /// The maximum size of a text subtitle file, in bytes. The subtitles of a long video have about
    /// a hundredth of this size; typeset subtitles with drawings have a tenth.
    package var fileBytes: Int
    /// The maximum size of one line, in bytes. Longer lines are left out.
    package var lineBytes: Int
    /// The maximum number of lines of a track. Further lines are ignored.
    package var lineCount: Int
    /// The maximum size of a track's lines and bitmaps, in bytes. The oldest bitmaps are removed
    /// first.
    package var keptBytes: Int
    /// The maximum size of a track's header, which contains its styles, in bytes.
    package var headerBytes: Int
    /// The maximum total size of a file's fonts, in bytes. Further fonts are ignored.
    package var fontBytes: Int
    /// The maximum number of fonts in a file.
    package var fontCount: Int

    package init(
        fileBytes: Int = 32 << 20, lineBytes: Int = 1 << 18, lineCount: Int = 200_000,
        keptBytes: Int = 64 << 20, headerBytes: Int = 4 << 20, fontBytes: Int = 128 << 20,
        fontCount: Int = 256
    ) {
        self.fileBytes = fileBytes
        self.lineBytes = lineBytes
        self.lineCount = lineCount
        self.keptBytes = keptBytes
        self.headerBytes = headerBytes
        self.fontBytes = fontBytes
        self.fontCount = fontCount
    }
}

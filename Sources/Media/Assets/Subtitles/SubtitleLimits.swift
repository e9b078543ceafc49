// SPDX-License-Identifier: Apache-2.0

/// The limits beyond which subtitles are refused or left out.
package struct SubtitleLimits: Sendable, Hashable {
    /// Bytes of a file that holds nothing but subtitles in text: those of a long film are a
    /// hundredth of it, typeset ones with drawings a tenth.
    package var fileBytes: Int
    /// Bytes of one line; longer ones are left out.
    package var lineBytes: Int
    /// Lines that are kept of a track; the rest of it is left out.
    package var lineCount: Int
    /// Bytes of lines and pictures that are kept of a track. Of pictures the oldest go first.
    package var keptBytes: Int
    /// Bytes of a track's header with its styles.
    package var headerBytes: Int
    /// Bytes of all fonts of a file; those beyond are left out.
    package var fontBytes: Int
    /// Fonts of a file.
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

// SPDX-License-Identifier: Apache-2.0

/// What the lines of a subtitle track share: styles, and the fonts that come with the file.
///
/// - Concurrency: a value; any thread.
public struct SubtitleScript: Sendable, Hashable {
    /// The head of an ASS script, with its styles; empty for tracks of pictures.
    public var header: String
    /// Whether the header is the author's own, rather than one made for plain text.
    public var isStyled: Bool
    /// Attachments of the container.
    public var fonts: [SubtitleFont]

    public init(header: String = "", isStyled: Bool = false, fonts: [SubtitleFont] = []) {
        self.header = header
        self.isStyled = isStyled
        self.fonts = fonts
    }
}

/// A font that comes with a film, for its subtitles.
public struct SubtitleFont: Sendable, Hashable {
    /// The file's name.
    public var name: String
    /// The font file.
    public var bytes: [UInt8]

    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

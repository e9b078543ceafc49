// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// One subtitle, and when it is shown.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: a sample that `AVPlayerItemLegibleOutput` hands out; `AVSubtitle`.
public struct SubtitleCue: Sendable, Hashable {
    /// The content of a cue.
    public enum Content: Sendable, Hashable {
        /// A line of an ASS script without its times, as Matroska stores it: read order, layer,
        /// style, name, three margins, effect, text. Every kind of text subtitle is brought to
        /// this.
        case line(String)
        /// Pictures, as on discs and in broadcasts.
        case bitmaps([SubtitleBitmap])
    }

    /// In item time. One that ends at `positiveInfinity` is shown until the next comes.
    public var timeRange: MediaTimeRange
    /// The content that is shown.
    public var content: Content
    /// A Boolean value that indicates whether the file states no end after the start, so that the
    /// cue ends at the latest when the next one begins.
    package var isOpenEnded = false

    package init(timeRange: MediaTimeRange, content: Content) {
        self.timeRange = timeRange
        self.content = content
    }

    /// The words, lines separated by line feeds and without markup; empty for pictures.
    public var text: String {
        guard case .line(let line) = content else { return "" }
        let fields = line.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
        return fields.count == 9 ? Self.withoutMarkup(fields[8]) : ""
    }

    /// Text of an ASS event without its overrides in braces; what is drawn by them is left out too.
    private static func withoutMarkup(_ source: Substring) -> String {
        var result = ""
        var rest = source
        var isDrawing = false
        while let character = rest.popFirst() {
            if character == "\\", let next = rest.first, "{}".contains(next) {
                rest.removeFirst()
                if !isDrawing { result.append(next) }
            } else if character == "{", let end = rest.firstIndex(of: "}") {
                let tags = rest[..<end]
                rest = rest[rest.index(after: end)...]
                // \p1 to \p… begin a drawing, \p0 ends it; \pos and \pbo are others.
                for tag in tags.split(separator: "\\") where tag.first == "p" {
                    if let scale = Int(tag.dropFirst()) { isDrawing = scale > 0 }
                }
            } else if character == "\\", let next = rest.first, "Nnh".contains(next) {
                rest.removeFirst()
                if !isDrawing { result.append(next == "h" ? "\u{A0}" : "\n") }
            } else if !isDrawing {
                result.append(character)
            }
        }
        return result
    }

    /// Bytes that it takes, about: for bounding what is kept.
    package var byteCount: Int {
        switch content {
        case .line(let line): line.utf8.count + 64
        case .bitmaps(let bitmaps): bitmaps.reduce(64) { $0 + $1.indices.count + 1024 }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A subtitle and the time range in which it is shown.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: a sample of `AVPlayerItemLegibleOutput`; `AVSubtitle`.
public struct SubtitleCue: Sendable, Hashable {
    /// The content of a cue.
    package enum Content: Sendable, Hashable {
        /// A line of an ASS script without its times, as Matroska stores it: read order, layer,
        /// style, name, three margins, effect, text. All text subtitles are converted to this form.
        case line(String)
        /// Bitmaps, as used on discs and in broadcasts.
        case bitmaps([SubtitleBitmap])
    }

    /// The time range in which the cue is shown, in item time. If it ends at `positiveInfinity`,
    /// the cue is shown until the next one.
    public var timeRange: MediaTimeRange
    /// The content that is shown.
    package var content: Content
    /// A Boolean value that indicates whether the file states no end, or an end that is not later
    /// than the start. If so, the cue ends no later than the start of the next cue.
    package var isOpenEnded = false
    /// A Boolean value that indicates whether the cue continues an earlier cue, which has the same
    /// content and ends where this cue starts.
    package var isContinuation = false

    package init(timeRange: MediaTimeRange, content: Content) {
        self.timeRange = timeRange
        self.content = content
    }

    /// The text without markup, with lines separated by line feeds; empty for bitmaps.
    public var text: String {
        guard case .line(let line) = content else { return "" }
        let fields = line.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
        return fields.count == 9 ? Self.withoutMarkup(fields[8]) : ""
    }

    /// Returns the text of an ASS event, without drawings and without the override tags in braces.
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
                // \p1 and higher numbers begin a drawing and \p0 ends it; \pos and \pbo are other
                // tags.
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

    /// The approximate size in bytes, for the limit on stored subtitles.
    package var byteCount: Int {
        switch content {
        case .line(let line): line.utf8.count + 64
        case .bitmaps(let bitmaps): bitmaps.reduce(64) { $0 + $1.indices.count + 1024 }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A paragraph of a TTML document with its times in seconds.
///
/// - Concurrency: a value; any thread.
struct TTMLParagraph: Sendable, Hashable {
    /// A time interval. The end may be infinite.
    struct Interval: Sendable, Hashable {
        var start: Double
        var end: Double

        var isEmpty: Bool { !(end > start) }

        /// Returns the part that lies within another interval.
        func clipped(to other: Interval) -> Interval {
            Interval(start: max(start, other.start), end: min(end, other.end))
        }

        func contains(_ time: Double) -> Bool { start <= time && time < end }
    }

    /// A part of the text, with the interval in which it is shown.
    struct Part: Sendable, Hashable {
        var text: String
        var style: TextStyle
        var interval: Interval
        /// A Boolean value that indicates whether white space is shown as it is.
        var keepsSpace: Bool
        /// A Boolean value that indicates whether the part is the end of a line.
        var isBreak: Bool
    }

    var interval: Interval
    /// The index of the region; nil if the document states none.
    var region: Int?
    var alignment: TTMLRegion.Alignment?
    private(set) var parts: [Part] = []
    /// The approximate size of the text and its styles, in bytes.
    private(set) var byteCount = 0

    init(interval: Interval, region: Int?, alignment: TTMLRegion.Alignment?) {
        (self.interval, self.region, self.alignment) = (interval, region, alignment)
    }

    mutating func append(_ part: Part) {
        parts.append(part)
        byteCount += part.text.utf8.count + 16
    }

    /// Returns the text at a time. White space is reduced to what is shown.
    func text(at time: Double) -> StyledText {
        var result = StyledText()
        // Space is written with the word after it, so that lines do not end with space.
        var (needsSpace, isAtStart) = (false, true)
        for part in parts where part.interval.contains(time) {
            guard !part.keepsSpace, !part.isBreak else {
                result.append(part.text, part.style)
                (needsSpace, isAtStart) = (false, part.text.last?.isNewline ?? isAtStart)
                continue
            }
            var text: [UInt8] = []
            for byte in part.text.utf8 {
                if Self.isSpace(byte) {
                    needsSpace = !isAtStart
                } else {
                    if needsSpace { text.append(0x20) }
                    text.append(byte)
                    (needsSpace, isAtStart) = (false, false)
                }
            }
            result.append(String(decoding: text, as: UTF8.self), part.style)
        }
        return result
    }

    /// Returns whether a byte is white space of XML. A no-break space is not.
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}

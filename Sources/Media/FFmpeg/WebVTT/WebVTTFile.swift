// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A WebVTT file: its cues with their times, its style sheets and its regions.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: W3C's WebVTT, 6.1; RFC 8216, 3.5.
struct WebVTTFile: Sendable {
    /// A cue with its times in milliseconds. The end may be earlier than the start.
    struct TimedCue: Sendable, Hashable {
        var start: Int64
        var end: Int64
        var cue: WebVTTCue
    }

    /// A relation between the times of cues and the clock of an MPEG transport stream
    /// (`X-TIMESTAMP-MAP`).
    struct TimestampMap: Sendable, Hashable {
        /// A time of the clock, in units of 1/90000 s.
        var clock: Int64 = 0
        /// The time of cues at that moment, in milliseconds.
        var local: Int64 = 0
    }

    /// The first relation that the header states; nil if it states none.
    private(set) var timestampMap: TimestampMap?
    /// The contents of the style sheets.
    private(set) var styleSheets: [Substring] = []
    /// The settings of the regions.
    private(set) var regions: [Substring] = []
    /// The cues, in the order of the file.
    private(set) var cues: [TimedCue] = []

    /// The maximum number of style sheets and of regions, each.
    private static let maximumSheets = 64
    /// The maximum number of lines between two empty ones. Further lines are left out.
    private static let maximumLines = 1 << 16

    /// Returns whether a text is a WebVTT file.
    static func isWebVTT(_ text: [UInt8]) -> Bool {
        let start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return text[start...].starts(with: "WEBVTT".utf8)
    }

    /// Parses a file.
    ///
    /// - Parameters:
    ///   - text: The contents of the file, in UTF-8.
    ///   - limit: The maximum number of cues. Further cues are left out.
    init(_ text: [UInt8], limit: Int) {
        var lines = Lines(String(decoding: text, as: UTF8.self))
        var block: [Substring] = []
        var isHeader = true
        while true {
            let line = lines.next()
            if let line, !line.isEmpty, !Self.beginsCue(line, after: block, isHeader: isHeader) {
                if block.count < Self.maximumLines { block.append(line) }
                continue
            }
            if isHeader {
                takeHeader(block)
            } else if !block.isEmpty {
                take(block, limit: limit)
            }
            isHeader = false
            // Style sheets and regions precede all cues.
            guard let line, cues.isEmpty || cues.count < limit else { return }
            block = line.isEmpty ? [] : [line]
        }
    }

    // MARK: - Blocks

    private static func isTimed(_ line: Substring) -> Bool { line.contains(text: "-->") }

    /// Returns whether a line begins a cue, although there is no empty line before it.
    private static func beginsCue(
        _ line: Substring, after block: [Substring], isHeader: Bool
    ) -> Bool {
        guard let first = block.first, isTimed(line) else { return false }
        return isHeader || block.count > 1 || isTimed(first)
    }

    private mutating func takeHeader(_ lines: [Substring]) {
        for line in lines {
            guard let value = line.value(ofTag: "X-TIMESTAMP-MAP=") else { continue }
            timestampMap = timestampMap ?? Self.map(value)
        }
        // Headers in MP4 may have no empty line before the first style sheet.
        let start = lines.firstIndex { Self.isHead($0, "STYLE") || Self.isHead($0, "REGION") }
        if let start { take(Array(lines[start...]), limit: 0) }
    }

    private static func map(_ text: Substring) -> TimestampMap? {
        var map = TimestampMap()
        for part in text.split(separator: ",", maxSplits: 8).map(trimmed) {
            if let value = part.value(ofTag: "MPEGTS:") {
                guard let clock = Int64(trimmed(value)), clock >= 0, clock < 1 << 40 else {
                    return nil
                }
                map.clock = clock
            } else if let value = part.value(ofTag: "LOCAL:") {
                var rest = trimmed(value)
                guard let local = time(&rest), rest.isEmpty else { return nil }
                map.local = local
            }
        }
        return map
    }

    private mutating func take(_ block: [Substring], limit: Int) {
        guard let head = block.prefix(2).firstIndex(where: Self.isTimed) else {
            if Self.isHead(block[0], "STYLE"), styleSheets.count < Self.maximumSheets {
                styleSheets.append(Self.joined(block.dropFirst()))
            } else if Self.isHead(block[0], "REGION"), regions.count < Self.maximumSheets {
                regions.append(Self.joined(block.dropFirst()))
            }
            return
        }
        guard cues.count < limit, let (start, end, settings) = Self.times(block[head]) else {
            return
        }
        let cue = WebVTTCue(
            identifier: head == 1 ? String(block[0]) : "", settings: String(settings),
            text: String(Self.joined(block[(head + 1)...])))
        cues.append(TimedCue(start: start, end: end, cue: cue))
    }

    private static func isHead(_ line: Substring, _ word: String) -> Bool {
        line.hasPrefix(word) && line.dropFirst(word.count).allSatisfy(\.isWhitespace)
    }

    private static func joined(_ lines: ArraySlice<Substring>) -> Substring {
        Substring(lines.joined(separator: "\n"))
    }

    // MARK: - Times

    private static func times(
        _ line: Substring
    ) -> (start: Int64, end: Int64, settings: Substring)? {
        var rest = line.drop(while: \.isWhitespace)
        guard let start = time(&rest) else { return nil }
        rest = rest.drop(while: \.isWhitespace)
        guard rest.hasPrefix("-->") else { return nil }
        rest = rest.dropFirst(3).drop(while: \.isWhitespace)
        guard let end = time(&rest), rest.first?.isWhitespace ?? true else { return nil }
        return (start, end, trimmed(rest))
    }

    /// Removes a time from the beginning of a text and returns it in milliseconds. A time consists
    /// of optional hours, minutes, seconds and a fraction, which some writers leave out.
    private static func time(_ text: inout Substring) -> Int64? {
        var fields: [Int64] = []
        while fields.count < 3 {
            let digits = text.prefix(while: isDigit)
            guard digits.utf8.count <= 9, let number = Int64(digits) else { return nil }
            fields.append(number)
            text = text[digits.endIndex...]
            guard fields.count < 3, text.first == ":" else { break }
            text = text.dropFirst()
        }
        guard fields.count > 1 else { return nil }
        var milliseconds: Int64 = 0
        if text.first == "." || text.first == "," {
            let digits = text.dropFirst().prefix(while: isDigit)
            guard !digits.isEmpty else { return nil }
            for index in 0..<3 {
                let digit = digits.dropFirst(index).first?.wholeNumberValue ?? 0
                milliseconds = milliseconds * 10 + Int64(digit)
            }
            text = text[digits.endIndex...]
        }
        return fields.reduce(0) { $0 * 60 + $1 } * 1000 + milliseconds
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isWholeNumber
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// The lines of a text, which end with a line feed, a carriage return or both.
    private struct Lines {
        private var rest: Substring

        init(_ text: String) {
            rest = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        }

        /// Returns the next line; nil at the end.
        mutating func next() -> Substring? {
            guard !rest.isEmpty else { return nil }
            let line = rest.prefix { $0 != "\n" && $0 != "\r" && $0 != "\r\n" }
            rest = rest[line.endIndex...].dropFirst()
            return line
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Functions on GLSL text for importers. They do not compile the text, and they change neither the
/// number of lines nor the column of a word.
enum ShaderText {
    static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || byte == UInt8(ascii: "_")
    }

    static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

    /// Returns the text with spaces in place of comments.
    static func withoutComments(_ text: String) -> String {
        String(decoding: withoutComments(Array(text.utf8)), as: UTF8.self)
    }

    /// Returns the text with spaces in place of comments.
    ///
    /// - Parameter keepsLines: A Boolean value that indicates whether line feeds in comments are
    ///   kept. To a compiler, a comment is a space, and the text after it belongs to the line in
    ///   which the comment begins.
    static func withoutComments(_ source: [UInt8], keepsLines: Bool = true) -> [UInt8] {
        var bytes = source
        for comment in comments(in: source) {
            for place in comment.range
            where !keepsLines || bytes[place] != UInt8(ascii: "\n") {
                bytes[place] = UInt8(ascii: " ")
            }
        }
        return bytes
    }

    /// Returns the ranges between each `/*` and its `*/`.
    static func blockComments(in bytes: [UInt8]) -> [Range<Int>] {
        comments(in: bytes).lazy.filter(\.isBlock).compactMap { comment in
            let end = comment.range.upperBound - 2
            // The last comment may be unterminated.
            guard end >= comment.range.lowerBound + 2,
                bytes[end...].starts(with: "*/".utf8)
            else { return nil }
            return comment.range.lowerBound + 2..<end
        }
    }

    /// Returns the first line of an unterminated comment, or nil if every comment is terminated.
    static func lineOfOpenComment(in text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard let last = comments(in: bytes).last, last.isBlock,
            blockComments(in: bytes).last?.lowerBound != last.range.lowerBound + 2
        else { return nil }
        return line(at: last.range.lowerBound, in: bytes)
    }

    /// Returns the ranges of comments. An unterminated comment ends with its line or with the text.
    private static func comments(in bytes: [UInt8]) -> [(range: Range<Int>, isBlock: Bool)] {
        var comments: [(range: Range<Int>, isBlock: Bool)] = []
        var index = 0
        while index + 1 < bytes.count {
            guard bytes[index] == UInt8(ascii: "/") else {
                index += 1
                continue
            }
            let start = index
            if bytes[index + 1] == UInt8(ascii: "/") {
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n"),
                    bytes[index] != UInt8(ascii: "\r")
                {
                    index += 1
                }
                comments.append((start..<index, false))
            } else if bytes[index + 1] == UInt8(ascii: "*") {
                let isEnd = { (at: Int) in
                    at + 1 < bytes.count && bytes[at] == UInt8(ascii: "*")
                        && bytes[at + 1] == UInt8(ascii: "/")
                }
                index += 2
                while index < bytes.count, !isEnd(index) { index += 1 }
                index = min(index + 2, bytes.count)
                comments.append((start..<index, true))
            } else {
                index += 1
            }
        }
        return comments
    }

    /// Returns a text in which every line ends in a line feed. A carriage return before a line feed
    /// is kept. All other carriage returns, which files of old Macintosh programs contain, are
    /// replaced by line feeds, because compilers count them as line ends.
    static func withLineFeeds(_ text: String) -> String {
        let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var text = text
        // Few files contain carriage returns.
        let hasCarriages = text.withUTF8 { bytes in
            bytes.baseAddress.map { memchr($0, Int32(carriage), bytes.count) != nil } ?? false
        }
        guard hasCarriages else { return text }
        var bytes = Array(text.utf8)
        var isChanged = false
        for index in bytes.indices
        where bytes[index] == carriage && (index + 1 == bytes.count || bytes[index + 1] != feed) {
            bytes[index] = feed
            isChanged = true
        }
        return isChanged ? String(decoding: bytes, as: UTF8.self) : text
    }

    /// Returns whether any line of a text begins with `prefix`. Spaces before the prefix are
    /// ignored.
    ///
    /// - Parameter ignoresCase: A Boolean value that indicates whether case is ignored; the
    ///   prefix then has to be in upper case.
    static func hasLine(
        startingWith prefix: String, in text: String, ignoresCase: Bool = false
    ) -> Bool {
        func capital(_ byte: UInt8) -> UInt8 {
            ignoresCase && (97...122).contains(byte) ? byte - 32 : byte
        }
        let prefix = Array(prefix.utf8)
        var text = text
        return text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let line = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
                if line.prefix(prefix.count).lazy.map(capital).elementsEqual(prefix) { return true }
                guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return false }
                rest = rest[(end + 1)...]
            }
            return false
        }
    }

    /// Returns the lines of a text without their line ends.
    static func lines(_ text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            var line = Substring($0)
            if line.utf8.last == UInt8(ascii: "\r") { line = line.dropLast() }
            return line
        }
    }

    /// Returns a text without the spaces at its ends.
    static func trimmed(_ text: Substring) -> Substring {
        var text = text.utf8.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text = text.dropLast() }
        return Substring(text)
    }

    /// Returns whether a text contains a word that is followed by an opening parenthesis.
    static func calls(_ name: String, in text: String) -> Bool {
        let bytes = Array(text.utf8)
        return ranges(of: name, in: bytes).contains { range in
            var index = range.upperBound
            while index < bytes.count, isSpace(bytes[index]) { index += 1 }
            return index < bytes.count && bytes[index] == UInt8(ascii: "(")
        }
    }

    /// Returns the first range of `part` in a text, even within a word.
    static func firstRange<Text: StringProtocol>(
        of part: String, in text: Text
    ) -> Range<Text.Index>? {
        let part = part.utf8
        return text.utf8.indices.lazy.compactMap { start in
            text.utf8[start...].starts(with: part)
                ? start..<text.utf8.index(start, offsetBy: part.count) : nil
        }.first
    }

    /// Returns whether a text contains a whole word.
    static func mentions(_ word: String, in text: String) -> Bool {
        var text = text
        return text.withUTF8 { firstRange(of: word, in: $0, from: 0) != nil }
    }

    /// Returns the ranges of a whole word.
    static func ranges(of word: String, in bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        bytes.withUnsafeBufferPointer { bytes in
            while let range = firstRange(of: word, in: bytes, from: ranges.last?.upperBound ?? 0) {
                ranges.append(range)
            }
        }
        return ranges
    }

    /// Returns the first range of a whole word that begins at an offset or later.
    private static func firstRange(
        of word: String, in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Range<Int>? {
        var word = word
        return word.withUTF8 { word in
            guard let bytes = bytes.baseAddress.map({ (first: $0, end: $0 + bytes.count) }),
                let letters = word.baseAddress, word.count > 0
            else { return nil }
            var place = bytes.first + start
            while bytes.end - place >= word.count,
                let found = memchr(place, Int32(letters[0]), bytes.end - place)
            {
                place = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
                let end = place + word.count
                if end <= bytes.end, memcmp(place, letters, word.count) == 0,
                    place == bytes.first || !isWord(place[-1]), end == bytes.end || !isWord(end[0])
                {
                    return (place - bytes.first)..<(end - bytes.first)
                }
                place += 1
            }
            return nil
        }
    }

    /// Replaces a whole word.
    static func replacing(_ word: String, by replacement: String, in text: String) -> String {
        let bytes = Array(text.utf8)
        let ranges = ranges(of: word, in: bytes)
        guard !ranges.isEmpty else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var end = 0
        for range in ranges {
            result.append(contentsOf: bytes[end..<range.lowerBound])
            result.append(contentsOf: replacement.utf8)
            end = range.upperBound
        }
        result.append(contentsOf: bytes[end...])
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the line, from 1, of the byte at an offset.
    static func line(at offset: Int, in bytes: [UInt8]) -> Int {
        1 + bytes[..<min(offset, bytes.count)].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
    }

    /// Returns the directive in a line, if there is one: `include` for `#include "a.glsl"`.
    static func directive(_ line: Substring) -> (name: Substring, rest: Substring)? {
        var line = trimmed(line).utf8
        guard line.first == UInt8(ascii: "#") else { return nil }
        line = line.dropFirst().drop(while: isSpace)
        let name = line.prefix(while: isWord)
        return (Substring(name), trimmed(Substring(line.dropFirst(name.count))))
    }

    /// Returns a directive as a comment, so that the driver ignores it. Columns stay the same.
    static func disabled(_ line: Substring) -> String {
        guard let hash = line.utf8.firstIndex(of: UInt8(ascii: "#")) else { return String(line) }
        let rest = line.utf8[line.utf8.index(after: hash)...]
        return String(line.utf8[..<hash].map { _ in " " as Character }) + "//"
            + String(Substring(rest.dropFirst()))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What importers need to know of GLSL's text, without compiling it. Nothing here changes how many
/// lines a text has, nor in which column of its line a word stands.
enum ShaderText {
    static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || byte == UInt8(ascii: "_")
    }

    static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

    /// The text with a space in place of every character of a comment.
    static func withoutComments(_ text: String) -> String {
        String(decoding: withoutComments(Array(text.utf8)), as: UTF8.self)
    }

    /// - Parameter keepsLines: whether comments that go over several lines still do. To a compiler
    ///   they are a space: what follows one stands in the line in which it begins.
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

    /// What stands between each `/*` and its `*/`.
    static func blockComments(in bytes: [UInt8]) -> [Range<Int>] {
        comments(in: bytes).lazy.filter(\.isBlock).compactMap { comment in
            let end = comment.range.upperBound - 2
            // The last may have no end.
            guard end >= comment.range.lowerBound + 2,
                bytes[end...].starts(with: "*/".utf8)
            else { return nil }
            return comment.range.lowerBound + 2..<end
        }
    }

    /// The line in which a comment begins that does not end; nil where all do.
    static func lineOfOpenComment(in text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard let last = comments(in: bytes).last, last.isBlock,
            blockComments(in: bytes).last?.lowerBound != last.range.lowerBound + 2
        else { return nil }
        return line(at: last.range.lowerBound, in: bytes)
    }

    /// Comments from their first sign to their last; to the end of their line, or of the text,
    /// where there is none.
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

    /// A text in which every line ends in a line feed, alone or behind a carriage return. Files of
    /// old Macintosh programs have the latter alone, which compilers count as the end of a line
    /// too.
    static func withLineFeeds(_ text: String) -> String {
        let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var text = text
        // Nearly no file has any.
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

    /// Whether a line begins with a text, spaces aside.
    ///
    /// - Parameter ignoresCase: whether letters may be small ones, too, where the text has
    ///   capitals.
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

    /// The lines of a text, without what ends them.
    static func lines(_ text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            var line = Substring($0)
            if line.utf8.last == UInt8(ascii: "\r") { line = line.dropLast() }
            return line
        }
    }

    /// A text without the spaces around it.
    static func trimmed(_ text: Substring) -> Substring {
        var text = text.utf8.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text = text.dropLast() }
        return Substring(text)
    }

    /// Whether a word stands in a text with an opening parenthesis after it.
    static func calls(_ name: String, in text: String) -> Bool {
        let bytes = Array(text.utf8)
        return ranges(of: name, in: bytes).contains { range in
            var index = range.upperBound
            while index < bytes.count, isSpace(bytes[index]) { index += 1 }
            return index < bytes.count && bytes[index] == UInt8(ascii: "(")
        }
    }

    /// Where a text stands first, also within a word.
    static func firstRange<Text: StringProtocol>(
        of part: String, in text: Text
    ) -> Range<Text.Index>? {
        let part = part.utf8
        return text.utf8.indices.lazy.compactMap { start in
            text.utf8[start...].starts(with: part)
                ? start..<text.utf8.index(start, offsetBy: part.count) : nil
        }.first
    }

    /// Whether a word stands in a text by itself.
    static func mentions(_ word: String, in text: String) -> Bool {
        !ranges(of: word, in: Array(text.utf8)).isEmpty
    }

    /// Where a word stands by itself.
    static func ranges(of word: String, in bytes: [UInt8]) -> [Range<Int>] {
        let word = Array(word.utf8)
        guard let first = word.first else { return [] }
        var ranges: [Range<Int>] = []
        var index = 0
        while index + word.count <= bytes.count {
            let end = index + word.count
            if bytes[index] == first, index == 0 || !isWord(bytes[index - 1]),
                end == bytes.count || !isWord(bytes[end]), bytes[index..<end].elementsEqual(word)
            {
                ranges.append(index..<end)
                index = end
            } else {
                index += 1
            }
        }
        return ranges
    }

    /// Replaces a word where it stands by itself.
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

    /// The line, from 1, in which the byte at an offset stands.
    static func line(at offset: Int, in bytes: [UInt8]) -> Int {
        1 + bytes[..<min(offset, bytes.count)].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
    }

    /// A preprocessor's directive, if a line is one: `include` of `#include "a.glsl"`.
    static func directive(_ line: Substring) -> (name: Substring, rest: Substring)? {
        var line = trimmed(line).utf8
        guard line.first == UInt8(ascii: "#") else { return nil }
        line = line.dropFirst().drop(while: isSpace)
        let name = line.prefix(while: isWord)
        return (Substring(name), trimmed(Substring(line.dropFirst(name.count))))
    }

    /// What comes before `#` made a comment: the driver does not see the directive, and everything
    /// stays in its column.
    static func disabled(_ line: Substring) -> String {
        guard let hash = line.utf8.firstIndex(of: UInt8(ascii: "#")) else { return String(line) }
        let rest = line.utf8[line.utf8.index(after: hash)...]
        return String(line.utf8[..<hash].map { _ in " " as Character }) + "//"
            + String(Substring(rest.dropFirst()))
    }
}

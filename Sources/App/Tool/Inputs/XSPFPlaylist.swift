// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An XSPF playlist, as saved by VLC. Only the location and the title of each track are read.
///
/// The text is searched as bytes, because a playlist can be megabytes long.
///
/// - Corresponds to: XSPF 1.
enum XSPFPlaylist {
    /// Converts a playlist to M3U.
    static func m3u(_ text: String) -> String {
        var lines = ["#EXTM3U"]
        var rest = withoutComments(Array(text.utf8))[...]
        while let track = element("track", in: &rest) {
            var (place, name) = (track, track)
            guard let location = element("location", in: &place).map(line), !location.isEmpty
            else { continue }
            if let title = element("title", in: &name).map(line), !title.isEmpty {
                lines.append("#EXTINF:-1,\(title)")
            }
            lines.append(location)
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the contents of the next element with this name, and advances past it.
    private static func element(
        _ name: String, in text: inout ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
        while let start = range(of: "<\(name)", in: text) {
            text = text[start.upperBound...]
            // The name may be only the beginning of another one, such as trackList.
            guard let next = text.first, isEnd(next) else { continue }
            guard let head = text.firstIndex(of: UInt8(ascii: ">")) else { return nil }
            let isEmpty = text[..<head].last == UInt8(ascii: "/")
            text = text[(head + 1)...]
            if isEmpty { continue }
            guard let end = range(of: "</\(name)", in: text) else { return nil }
            defer { text = text[end.upperBound...] }
            return text[..<end.lowerBound]
        }
        return nil
    }

    /// Returns whether a byte ends the name of an element.
    private static func isEnd(_ byte: UInt8) -> Bool {
        [UInt8(ascii: ">"), UInt8(ascii: "/"), 0x20, 0x09, 0x0A, 0x0D].contains(byte)
    }

    private static func withoutComments(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text[...]
        while let start = range(of: "<!--", in: rest) {
            result += rest[..<start.lowerBound]
            rest = rest[start.upperBound...]
            guard let end = range(of: "-->", in: rest) else { return result }
            rest = rest[end.upperBound...]
        }
        return result + rest
    }

    /// Returns the range of the first occurrence of a text.
    private static func range(of text: String, in bytes: ArraySlice<UInt8>) -> Range<Int>? {
        let text = Array(text.utf8)
        let offset = bytes.withUnsafeBytes { bytes -> Int? in
            guard let start = bytes.baseAddress else { return nil }
            var place = 0
            while bytes.count - place >= text.count {
                let count = bytes.count - place - text.count + 1
                guard let found = memchr(start + place, Int32(text[0]), count) else { return nil }
                place = UnsafeRawPointer(found) - start
                if memcmp(start + place, text, text.count) == 0 { return place }
                place += 1
            }
            return nil
        }
        return offset.map { bytes.startIndex + $0..<bytes.startIndex + $0 + text.count }
    }

    /// Returns text as one line, without markup.
    private static func line(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes
        if let start = range(of: "<![CDATA[", in: bytes), let end = range(of: "]]>", in: bytes),
            start.upperBound <= end.lowerBound
        {
            bytes = bytes[start.upperBound..<end.lowerBound]
            return joined(String(decoding: bytes, as: UTF8.self))
        }
        var text = String(decoding: bytes, as: UTF8.self)
        for (reference, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"),
            // This is last, so that its result is not decoded again.
            ("&amp;", "&"),
        ] where text.utf8.contains(UInt8(ascii: "&")) {
            text = text.replacingOccurrences(of: reference, with: character)
        }
        return joined(text)
    }

    private static func joined(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

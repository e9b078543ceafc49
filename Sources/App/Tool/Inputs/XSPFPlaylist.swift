// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An XSPF playlist, as saved by VLC. Only the location and the title of each track are read.
///
/// - Corresponds to: XSPF 1.
enum XSPFPlaylist {
    /// Converts a playlist to M3U.
    static func m3u(_ text: String) -> String {
        var lines = ["#EXTM3U"]
        var rest = withoutComments(text)[...]
        while let track = element("track", in: &rest) {
            var (place, name) = (track[...], track[...])
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
    private static func element(_ name: String, in text: inout Substring) -> String? {
        while let start = text.range(of: "<\(name)") {
            text = text[start.upperBound...]
            // The name may be only the beginning of another one, such as trackList.
            guard let next = text.first, next == ">" || next.isWhitespace || next == "/",
                let head = text.firstIndex(of: ">")
            else { continue }
            let isEmpty = text[..<head].hasSuffix("/")
            text = text[head...].dropFirst()
            if isEmpty { continue }
            guard let end = text.range(of: "</\(name)") else { return nil }
            defer { text = text[end.upperBound...] }
            return String(text[..<end.lowerBound])
        }
        return nil
    }

    private static func withoutComments(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.range(of: "<!--") {
            result += rest[..<start.lowerBound]
            rest = rest[start.upperBound...]
            guard let end = rest.range(of: "-->") else { return result }
            rest = rest[end.upperBound...]
        }
        return result + rest
    }

    /// Returns text as one line, without markup.
    private static func line(_ text: String) -> String {
        var text = text
        if let start = text.range(of: "<![CDATA["), let end = text.range(of: "]]>"),
            start.upperBound <= end.lowerBound
        {
            text = String(text[start.upperBound..<end.lowerBound])
        } else {
            for (reference, character) in [
                ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"),
                // This is last, so that its result is not decoded again.
                ("&amp;", "&"),
            ] {
                text = text.replacingOccurrences(of: reference, with: character)
            }
        }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A playlist in XSPF, the form in which VLC saves them: of each track its place and its title.
///
/// - Corresponds to: XSPF 1, of which no more is looked at.
enum XSPFList {
    /// The same list as M3U, which all lists are read as.
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

    /// What the next element of a name holds; goes on behind it.
    private static func element(_ name: String, in text: inout Substring) -> String? {
        while let start = text.range(of: "<\(name)") {
            text = text[start.upperBound...]
            // Others begin alike: trackList.
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

    /// Text as it reads, in one line.
    private static func line(_ text: String) -> String {
        var text = text
        if let start = text.range(of: "<![CDATA["), let end = text.range(of: "]]>"),
            start.upperBound <= end.lowerBound
        {
            text = String(text[start.upperBound..<end.lowerBound])
        } else {
            for (reference, character) in [
                ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"),
                // Last, so that what it stands before is not read twice.
                ("&amp;", "&"),
            ] {
                text = text.replacingOccurrences(of: reference, with: character)
            }
        }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

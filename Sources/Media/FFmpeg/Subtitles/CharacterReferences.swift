// SPDX-License-Identifier: Apache-2.0

/// Characters that are written as web pages write them, `&amp;` or `&#39;`, in the text of
/// subtitles.
///
/// - Corresponds to: HTML, 13.5, of which only these few are found in subtitles.
enum CharacterReferences {
    /// Puts characters in the place of what refers to them, in the text of a line of ASS.
    ///
    /// - Parameter hasBasic: whether `&amp;`, `&lt;` and `&gt;` are still there: FFmpeg reads them
    ///   itself in WebVTT.
    static func resolved(_ text: String, hasBasic: Bool) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[mark...]
            let name = rest.dropFirst().prefix(longest).prefix { $0 != ";" && $0 != "&" }
            if rest.dropFirst(1 + name.count).first == ";",
                let character = character(name, hasBasic: hasBasic)
            {
                result += character
                rest = rest.dropFirst(name.count + 2)
            } else {
                result.append("&")
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    private static let longest = 8

    private static func character(_ name: Substring, hasBasic: Bool) -> String? {
        if name.first == "#" {
            let digits = name.dropFirst()
            let isHexadecimal = digits.first == "x" || digits.first == "X"
            let number = UInt32(
                isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
            guard let number, number >= 0x20, let scalar = Unicode.Scalar(number) else {
                return nil
            }
            return escaped(scalar)
        }
        switch name {
        case "amp": return hasBasic ? "&" : nil
        case "lt": return hasBasic ? "<" : nil
        case "gt": return hasBasic ? ">" : nil
        case "quot": return "\""
        case "apos": return "'"
        case "nbsp": return "\\h"
        case "lrm": return "\u{200E}"
        case "rlm": return "\u{200F}"
        case "hellip": return "…"
        case "ndash": return "–"
        case "mdash": return "—"
        default: return nil
        }
    }

    /// A character that means nothing else in ASS: there braces hold styles, and a backslash is a
    /// command's.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "{", "}": "\\\(scalar)"
        // Before a word joiner, which is not seen, it is no command's.
        case "\\": "\\\u{2060}"
        case "\u{A0}": "\\h"
        default: String(scalar)
        }
    }
}

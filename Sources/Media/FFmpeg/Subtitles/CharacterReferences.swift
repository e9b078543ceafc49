// SPDX-License-Identifier: Apache-2.0

/// A decoder of HTML character references, such as `&amp;` or `&#39;`, in the text of subtitles.
///
/// - Corresponds to: HTML, 13.5. Only the references that occur in subtitles are supported.
enum CharacterReferences {
    /// Replaces character references in the text of an ASS line.
    static func resolved(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[mark...]
            let name = rest.dropFirst().prefix(longest).prefix { $0 != ";" && $0 != "&" }
            if rest.dropFirst(1 + name.count).first == ";",
                let character = character(name)
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

    private static func character(_ name: Substring) -> String? {
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
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
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

    /// Returns a character in the notation of ASS. In ASS, braces contain styles and a backslash
    /// begins a command.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "{", "}": "\\\(scalar)"
        // If an invisible word joiner follows a backslash, the backslash does not begin a command.
        case "\\": "\\\u{2060}"
        case "\u{A0}": "\\h"
        default: String(scalar)
        }
    }
}

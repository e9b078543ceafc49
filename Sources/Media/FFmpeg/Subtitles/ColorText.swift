// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A parser of colours in style sheets and in TTML.
///
/// - Corresponds to: CSS Color Level 4, sections 4 to 6, without colour spaces other than sRGB;
///   TTML2, 8.3.2.
enum ColorText {
    /// The language of the text, which determines the range of alpha in `rgba()`.
    enum Language {
        /// Alpha is a number from 0 to 1, or a percentage.
        case css
        /// Alpha is a number from 0 to 255.
        case ttml
    }

    private static let names: [String: UInt32] = [
        "black": 0x000000, "silver": 0xC0C0C0, "gray": 0x808080, "grey": 0x808080,
        "white": 0xFFFFFF, "maroon": 0x800000, "red": 0xFF0000, "purple": 0x800080,
        "fuchsia": 0xFF00FF, "magenta": 0xFF00FF, "green": 0x008000, "lime": 0x00FF00,
        "olive": 0x808000, "yellow": 0xFFFF00, "navy": 0x000080, "blue": 0x0000FF,
        "teal": 0x008080, "aqua": 0x00FFFF, "cyan": 0x00FFFF, "orange": 0xFFA500,
        "pink": 0xFFC0CB, "gold": 0xFFD700, "violet": 0xEE82EE, "brown": 0xA52A2A,
        "orchid": 0xDA70D6, "turquoise": 0x40E0D0, "salmon": 0xFA8072, "indigo": 0x4B0082,
        "darkblue": 0x00008B, "darkgreen": 0x006400, "darkred": 0x8B0000, "lightblue": 0xADD8E6,
        "lightgreen": 0x90EE90, "lightgray": 0xD3D3D3, "lightgrey": 0xD3D3D3,
        "darkgray": 0xA9A9A9, "darkgrey": 0xA9A9A9, "lightyellow": 0xFFFFE0, "crimson": 0xDC143C,
    ]

    /// Returns the colour of a text; nil if it is not a known colour.
    static func color(_ text: Substring, in language: Language) -> CaptionStyle.Color? {
        guard text.utf8.count <= 64 else { return nil }
        let word = text.lowercased()
        if word == "transparent" { return .clear }
        if let rgb = names[word] { return CaptionStyle.Color(rgb) }
        if word.hasPrefix("#") { return hexadecimal(word.dropFirst()) }
        return components(word, in: language)
    }

    private static func hexadecimal(_ digits: Substring) -> CaptionStyle.Color? {
        let values = digits.utf8.compactMap { digit -> UInt32? in
            Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt32.init)
        }
        guard values.count == digits.utf8.count else { return nil }
        let bytes: [UInt32]
        switch values.count {
        case 3, 4: bytes = values.map { $0 * 17 }
        case 6, 8:
            bytes = stride(from: 0, to: values.count, by: 2).map {
                values[$0] << 4 | values[$0 + 1]
            }
        default: return nil
        }
        return CaptionStyle.Color(
            bytes[0] << 16 | bytes[1] << 8 | bytes[2],
            opacity: bytes.count == 4 ? UInt8(bytes[3]) : 255)
    }

    private static func components(_ word: String, in language: Language) -> CaptionStyle.Color? {
        guard word.hasSuffix(")") else { return nil }
        for name in ["rgb(", "rgba("] where word.hasPrefix(name) {
            return values(word.dropFirst(name.count).dropLast(), in: language)
        }
        return nil
    }

    private static func values(
        _ list: Substring, in language: Language
    ) -> CaptionStyle.Color? {
        let parts = list.split { ", /\t\n".contains($0) }
        guard parts.count == 3 || parts.count == 4 else { return nil }
        var bytes: [UInt32] = []
        for (index, part) in parts.enumerated() {
            let isPercentage = part.last == "%"
            guard let number = Double(isPercentage ? part.dropLast() : part), number.isFinite else {
                return nil
            }
            let isFraction = index == 3 && language == .css
            let value = isPercentage ? number * 255 / 100 : isFraction ? number * 255 : number
            bytes.append(UInt32(min(max(value, 0), 255).rounded()))
        }
        return CaptionStyle.Color(
            bytes[0] << 16 | bytes[1] << 8 | bytes[2],
            opacity: bytes.count == 4 ? UInt8(bytes[3]) : 255)
    }
}

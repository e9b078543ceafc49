// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The text of a subtitle with its styles, as a line of ASS.
///
/// - Concurrency: a value; any thread.
struct StyledText: Sendable, Hashable {
    /// A part of the text in one style. The text has the form that ASS requires.
    private struct Run: Hashable {
        var text: String
        var style: TextStyle
    }

    private var runs: [Run] = []

    /// The size of the canvas to which positions of lines refer.
    static let canvas = (width: 384.0, height: 288.0)
    /// The size of letters on the canvas, which is also the height of a line.
    static let fontSize = 16.0
    /// The height of a line in Arial, in heights of its em square. ASS states the former.
    private static let lineHeight = 1.117

    /// The header of lines. It has the canvas and the font of the header that FFmpeg generates for
    /// plain text, and a style for text with something behind it.
    static let header: String = {
        func style(_ name: String, border: Int) -> String {
            "Style: \(name),Arial,\(Int(fontSize)),&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,"
                + "\(border),1,0,2,10,10,10,1\n"
        }
        return """
            [Script Info]
            ScriptType: v4.00+
            PlayResX: \(Int(canvas.width))
            PlayResY: \(Int(canvas.height))
            ScaledBorderAndShadow: yes
            YCbCr Matrix: None

            [V4+ Styles]
            Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, \
            BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, \
            BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding

            """ + style("Default", border: 1) + style("Box", border: 3)
                + """

                [Events]
                Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

                """
    }()

    /// A Boolean value that indicates whether there is no text, or only white space.
    var isBlank: Bool {
        runs.allSatisfy { run in
            var text = run.text[...]
            while let character = text.popFirst() {
                if character == "\\", let next = text.first, "Nh".contains(next) {
                    text.removeFirst()
                } else if !character.isWhitespace {
                    return false
                }
            }
            return true
        }
    }

    /// The number of lines, without those that are wrapped.
    var lineCount: Int {
        runs.reduce(1) { count, run in
            zip(run.text.utf8, run.text.utf8.dropFirst())
                .reduce(count) { $0 + ($1 == (UInt8(ascii: "\\"), UInt8(ascii: "N")) ? 1 : 0) }
        }
    }

    /// The approximate size in bytes, with the tags of styles.
    var byteCount: Int { runs.reduce(0) { $0 + $1.text.utf8.count + 16 } }

    /// Appends plain text. Line feeds begin new lines.
    mutating func append(_ text: String, _ style: TextStyle = TextStyle()) {
        append(escaped: Self.escaped(text), style)
    }

    /// Appends text in the form that ASS requires.
    mutating func append(escaped text: String, _ style: TextStyle) {
        guard !text.isEmpty else { return }
        if let last = runs.indices.last, runs[last].style == style {
            runs[last].text += text
        } else {
            runs.append(Run(text: text, style: style))
        }
    }

    /// Appends another text.
    mutating func append(_ other: StyledText) {
        for run in other.runs { append(escaped: run.text, run.style) }
    }

    /// The text field of an event, with override tags.
    var markup: String {
        var result = ""
        var last = TextStyle()
        for run in runs {
            let tags = Self.tags(run.style, after: last)
            if !tags.isEmpty { result += "{" + tags + "}" }
            result += run.text
            last = run.style
        }
        return result
    }

    /// Returns an event without its times, as in `SubtitleCue.Content`, in the default position.
    func line(layer: Int = 0) -> String { "0,\(layer),Default,,0,0,0,," + markup }

    /// Returns text in the form that ASS requires.
    static func escaped(_ text: String) -> String {
        // The last byte begins a no-break space.
        let special: Set<UInt8> = [0x7B, 0x7D, 0x5C, 0x0A, 0x0D, 0xC2]
        guard text.utf8.contains(where: special.contains) else { return text }
        var result = ""
        for character in text {
            switch character {
            case "{", "}": result += "\\" + String(character)
            // A word joiner separates the backslash from the next letter.
            case "\\": result += "\\\u{2060}"
            case "\n", "\r\n", "\r": result += "\\N"
            case "\u{A0}": result += "\\h"
            default: result.append(character)
            }
        }
        return result
    }

    // MARK: - Tags

    private static func tags(_ style: TextStyle, after previous: TextStyle) -> String {
        var (tags, last) = ("", previous)
        // A change of the kind of border is a change of the style, which resets everything else.
        if style.hasBackground != last.hasBackground {
            tags += style.hasBackground ? "\\rBox" : "\\r"
            last = TextStyle()
        }
        if style.isBold != last.isBold { tags += style.isBold ? "\\b1" : "\\b0" }
        if style.isItalic != last.isItalic { tags += style.isItalic ? "\\i1" : "\\i0" }
        if style.isUnderlined != last.isUnderlined { tags += style.isUnderlined ? "\\u1" : "\\u0" }
        if style.isStruckOut != last.isStruckOut { tags += style.isStruckOut ? "\\s1" : "\\s0" }
        if style.size != last.size {
            tags += "\\fs" + (style.size.map { number($0 * canvas.height * lineHeight) } ?? "")
        }
        if style.stretch != last.stretch { tags += "\\fscx" + number(style.stretch * 100) }
        if style.color != last.color { tags += self.tags(style.color ?? .white, 1) }
        if style.hasBackground, style.background != last.background,
            let background = style.background
        {
            // The box has the colour of outlines.
            tags += self.tags(background, 3)
        }
        return tags
    }

    /// Returns a number with at most two decimals.
    static func number(_ value: Double) -> String {
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    /// Returns the tags for a colour.
    ///
    /// - Parameter number: 1 for letters, 3 for boxes.
    static func tags(_ color: CaptionStyle.Color, _ number: Int) -> String {
        func digits(_ value: UInt32) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return text.utf8.count < 2 ? "0" + text : text
        }
        let (red, green, blue) = (color.rgb >> 16 & 255, color.rgb >> 8 & 255, color.rgb & 255)
        return "\\\(number)c&H\(digits(blue))\(digits(green))\(digits(red))&"
            + "\\\(number)a&H\(digits(UInt32(255 - color.opacity)))&"
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A converter from captions to ASS lines on a grid of characters.
///
/// The grid covers the safe area, which is the middle 80 % of the video's width and height. It has
/// 15 rows. The rasterizer stretches letters to the grid's columns.
///
/// - Concurrency: a value; any thread.
struct CaptionScript: Sendable, Hashable {
    /// The number of columns of the safe area: 32, and 42 in wide pictures (CEA-708-E, 8.4).
    let columns: Int
    /// The width of the script's area.
    let width: Int
    static let height = 600
    static let cellHeight = 32.0
    static let cellWidth = 20.0
    static let rows = 15

    /// The font size. libass scales the line height of a font to this size. Lines may extend
    /// slightly beyond the row.
    private static let fontSize = 36.0
    init(isWide: Bool) {
        (columns, width) = isWide ? (42, 1067) : (32, 800)
    }

    var aspectRatio: Double { Double(width) / Double(Self.height) }
    var left: Double { (Double(width) - Double(columns) * Self.cellWidth) / 2 }
    static let top = (Double(height) - Double(rows) * cellHeight) / 2

    var header: String {
        """
        [Script Info]
        ScriptType: v4.00+
        WrapStyle: 2
        ScaledBorderAndShadow: yes
        PlayResX: \(width)
        PlayResY: \(Self.height)
        [V4+ Styles]
        Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, \
        BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, \
        BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
        Style: Default,monospace,\(Int(Self.fontSize)),&H00FFFFFF,&H00FFFFFF,&H00000000,\
        &H00000000,0,0,0,0,100,100,0,0,1,0,0,7,0,0,0,1
        [Events]
        Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

        """
    }

    // MARK: - Parts of lines

    /// Returns a filled rectangle.
    static func box(
        _ color: CaptionStyle.Color, x: Double, y: Double, width: Double, height: Double,
        layer: Int = 0
    ) -> String {
        let (right, bottom) = (number(x + width), number(y + height))
        return "\(layer),Default,,0,0,0,,{\\an7\\pos(0,0)\\fscx100\\bord0\\shad0"
            + tags(color, 1) + "\\p1}m 0 0 m \(number(x)) \(number(y)) l \(right) \(number(y)) "
            + "\(right) \(bottom) \(number(x)) \(bottom)"
    }

    /// A part of a line in one style.
    struct Run {
        var text: String
        var style: CaptionStyle
    }

    /// Returns a line of text at a position.
    ///
    /// - Parameter alignment: The point of the text that is at the position: 7 to 9, for the left
    ///   end, the middle or the right end of the top edge.
    static func line(
        _ runs: [Run], x: Double, y: Double, alignment: Int = 7, layer: Int = 1
    ) -> String {
        var text = "\(layer),Default,,0,0,0,,{\\an\(alignment)\\pos(\(number(x)),"
        // The line of the font is higher than the row.
        text += "\(number(y - 1)))"
        var last: CaptionStyle?
        for run in runs {
            let tags = Self.tags(run.style, after: last)
            last = run.style
            if text.hasSuffix("}") || !text.contains("}") {
                if text.hasSuffix("}") { text.removeLast() }
                text += tags + "}"
            } else if !tags.isEmpty {
                text += "{" + tags + "}"
            }
            text += escaped(run.text)
        }
        return text
    }

    private static func tags(_ style: CaptionStyle, after last: CaptionStyle?) -> String {
        var tags = ""
        if style.foreground != last?.foreground ?? .white { tags += self.tags(style.foreground, 1) }
        if style.isItalic != last?.isItalic ?? false { tags += style.isItalic ? "\\i1" : "\\i0" }
        if style.isUnderlined != last?.isUnderlined ?? false {
            tags += style.isUnderlined ? "\\u1" : "\\u0"
        }
        if style.scale != last?.scale ?? 1 { tags += "\\fs\(number(fontSize * style.scale))" }
        if style.face != last?.face ?? .standard { tags += "\\fn" + family(style.face) }
        // Text without a background is outlined, so that it can be read on any video.
        let old = last.map(outline) ?? ""
        if outline(style) != old {
            tags += outline(style).isEmpty ? "\\bord0\\shad0" : outline(style)
        }
        return tags
    }

    private static func outline(_ style: CaptionStyle) -> String {
        let color = tags(style.edgeColor, 3) + tags(style.edgeColor, 4)
        switch style.edge {
        case .none: return style.background.opacity == 0 ? "\\bord2\\3c&H000000&" : ""
        case .uniform: return "\\bord2\\shad0" + color
        case .raised, .rightShadow: return "\\bord0\\xshad2\\yshad2" + color
        case .depressed, .leftShadow: return "\\bord0\\xshad-2\\yshad-2" + color
        }
    }

    private static func family(_ face: CaptionStyle.Face) -> String {
        switch face {
        case .standard, .monospaced, .smallCapitals: "monospace"
        case .monospacedSerif: "Courier"
        case .serif: "serif"
        case .sansSerif: "sans-serif"
        case .casual, .cursive: "cursive"
        }
    }

    /// Returns the tags for a colour. The number is 1 for letters, 3 for outlines and 4 for
    /// shadows.
    private static func tags(_ color: CaptionStyle.Color, _ number: Int) -> String {
        let (red, green, blue) = (color.rgb >> 16 & 255, color.rgb >> 8 & 255, color.rgb & 255)
        let alpha =
            color.opacity == 255 ? "" : "\\\(number)a&H\(hexadecimal(UInt32(255 - color.opacity)))&"
        return "\\\(number)c&H\(hexadecimal(blue))\(hexadecimal(green))\(hexadecimal(red))&" + alpha
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return text.count < 2 ? "0" + text : text
    }

    /// Returns text in which characters that have a meaning in ASS are escaped.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "{", "}": result += "\\" + String(character)
            // A word joiner separates the backslash from the next letter.
            case "\\": result += "\\\u{2060}"
            default: result.append(character)
            }
        }
        return result
    }

    private static func number(_ value: Double) -> String {
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}

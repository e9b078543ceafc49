// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A parser of the text of WebVTT cues: tags, classes and character references.
///
/// - Corresponds to: W3C's WebVTT, 6.4 and 6.5. Times within a text, and the small text beside
///   ruby, have no effect.
struct WebVTTMarkup {
    /// The rules of the file's style sheets.
    var styles = WebVTTStyles()

    /// The maximum number of elements in a cue. The text of further elements has the style of the
    /// elements around them.
    private static let maximumElements = 2000
    /// The maximum number of elements that contain each other.
    private static let maximumDepth = 32

    /// An open element: its name and the style of its text.
    private struct Open {
        var name: Substring
        var style: TextStyle
    }

    /// Returns the styled text of a cue.
    mutating func text(of cue: WebVTTCue) -> StyledText {
        var result = StyledText()
        var root = TextStyle()
        styles.apply(to: &root, WebVTTElement(identifier: Substring(cue.identifier)))
        var open: [Open] = []
        var count = 0
        var rest = cue.text[...]
        while !rest.isEmpty {
            let text = rest.prefix { $0 != "<" }
            if !text.isEmpty {
                let escaped = StyledText.escaped(String(text))
                result.append(
                    escaped: CharacterReferences.resolved(escaped), open.last?.style ?? root)
            }
            rest = rest[text.endIndex...].dropFirst()
            guard text.endIndex < cue.text.endIndex else { break }
            let tag = rest.prefix { $0 != ">" }
            rest = rest[tag.endIndex...].dropFirst()
            if tag.hasPrefix("/") {
                let name = tag.dropFirst()
                // The end of ruby also ends the small text in it.
                if open.last?.name == "rt", name == "ruby" { open.removeLast() }
                if open.last?.name == name { open.removeLast() }
                continue
            }
            count += 1
            guard count <= Self.maximumElements, open.count < Self.maximumDepth,
                let element = WebVTTElement(tag: tag)
            else { continue }
            var style = open.last?.style ?? root
            Self.apply(element, to: &style)
            styles.apply(to: &style, element)
            open.append(Open(name: element.name, style: style))
        }
        return result
    }

    /// Applies the style that elements have without a style sheet, and that of the classes for
    /// colours (section 5).
    private static func apply(_ element: WebVTTElement, to style: inout TextStyle) {
        switch element.name {
        case "b": style.isBold = true
        case "i": style.isItalic = true
        case "u": style.isUnderlined = true
        default: break
        }
        for name in element.classes {
            if let rgb = colors[name] { style.color = CaptionStyle.Color(rgb) }
            if name.hasPrefix("bg_"), let rgb = colors[name.dropFirst(3)] {
                style.background = CaptionStyle.Color(rgb)
            }
        }
    }

    private static let colors: [Substring: UInt32] = [
        "white": 0xFFFFFF, "lime": 0x00FF00, "cyan": 0x00FFFF, "red": 0xFF0000,
        "yellow": 0xFFFF00, "magenta": 0xFF00FF, "blue": 0x0000FF, "black": 0x000000,
    ]
}

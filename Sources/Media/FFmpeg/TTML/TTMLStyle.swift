// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The properties of an element of a TTML document, by their names without prefixes.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: TTML2, 10.4.
struct TTMLStyle: Sendable, Hashable {
    private var values: [String: String] = [:]

    /// The properties that are drawn.
    private static let names: Set<String> = [
        "color", "backgroundColor", "fontWeight", "fontStyle", "textDecoration", "textAlign",
        "displayAlign", "origin", "extent", "visibility", "display", "fontSize",
    ]

    init() {}

    /// Reads the properties that an element states itself.
    init(_ element: XMLElement) {
        for (name, value) in element.attributes {
            let local = name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) }
            if Self.names.contains(local ?? name) { values[local ?? name] = value }
        }
    }

    /// The properties without the colour behind the element, which elements in it do not have.
    var withoutBackground: TTMLStyle {
        var result = self
        result.values["backgroundColor"] = nil
        return result
    }

    subscript(name: String) -> String? { values[name] }

    /// Returns these properties with others that take precedence.
    func overridden(by other: TTMLStyle) -> TTMLStyle {
        var result = self
        result.values.merge(other.values) { $1 }
        return result
    }

    /// Applies the properties to the text of an element.
    ///
    /// - Parameter metrics: The units of lengths.
    func apply(to style: inout TextStyle, _ metrics: TTMLMetrics) {
        if let size = values["fontSize"] { metrics.apply(fontSize: size, to: &style) }
        if let color = values["color"].flatMap({ ColorText.color($0[...], in: .ttml) }) {
            style.color = color
        }
        if let color = values["backgroundColor"].flatMap({ ColorText.color($0[...], in: .ttml) }),
            color.opacity > 0
        {
            style.background = color
        }
        if let weight = values["fontWeight"] { style.isBold = weight == "bold" }
        if let slant = values["fontStyle"] {
            style.isItalic = slant == "italic" || slant == "oblique"
        }
        for word in (values["textDecoration"] ?? "").split(separator: " ", maxSplits: 8) {
            switch word {
            case "underline": style.isUnderlined = true
            case "noUnderline": style.isUnderlined = false
            case "lineThrough": style.isStruckOut = true
            case "noLineThrough": style.isStruckOut = false
            case "none": (style.isUnderlined, style.isStruckOut) = (false, false)
            default: break
            }
        }
    }

    /// A Boolean value that indicates whether the element is not drawn.
    var isHidden: Bool { values["visibility"] == "hidden" || values["display"] == "none" }

    /// The horizontal placement of text; nil if it is not stated.
    var alignment: TTMLRegion.Alignment? {
        switch values["textAlign"] {
        case "start", "left": .start
        case "center": .center
        case "end", "right": .end
        default: nil
        }
    }
}

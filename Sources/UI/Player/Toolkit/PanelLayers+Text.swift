// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadLayers
import PlayheadText

/// Measuring and drawing text.
extension PanelLayers {
    /// Returns the width of a line of text, in pixels; 0 if there are no fonts.
    ///
    /// The line is measured by rendering it. Its image is cached, so drawing it afterwards costs
    /// nothing.
    static func width(of text: String, _ look: TextLook) -> Double {
        text.isEmpty ? 0 : Double(picture(of: text, look)?.width ?? 0)
    }

    static func picture(of text: String, _ look: TextLook) -> PixelBuffer? {
        picture(
            of: text, size: look.size, color: look.color, isBold: look.isBold, family: look.family)
    }

    /// Adds a line of text. If it is wider than the rectangle, it is truncated with an ellipsis.
    mutating func line(
        _ text: String, _ look: TextLook, in rect: LayerRect, alignment: Alignment = .left
    ) {
        let fitting = text.truncated { Self.width(of: $0, look) <= rect.width + 0.5 }
        self.text(
            fitting, in: rect, size: look.size, alignment: alignment, color: look.color,
            isBold: look.isBold, family: look.family)
    }

    /// Adds the lines of a text, from the top of a rectangle downwards.
    mutating func block(_ block: TextBlock, in rect: LayerRect, alignment: Alignment = .left) {
        for (index, line) in block.lines.enumerated() {
            text(
                line,
                in: LayerRect(
                    x: rect.x, y: rect.y + Double(index) * block.look.lineHeight,
                    width: rect.width, height: block.look.lineHeight),
                size: block.look.size, alignment: alignment, color: block.look.color,
                isBold: block.look.isBold, family: block.look.family)
        }
    }
}

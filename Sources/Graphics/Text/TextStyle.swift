// SPDX-License-Identifier: Apache-2.0

/// The font, colours and outline of text. Sizes are in pixels; colours are red, green, blue and
/// alpha from 0 to 1, not premultiplied.
public struct TextStyle: Sendable, Hashable {
    /// The font family, as fontconfig names it, such as `sans-serif` or `monospace`.
    public var family: String
    /// The font size, in pixels. It is about the distance from the top of one line to the top of
    /// the next.
    public var size: Double
    /// A Boolean value that indicates whether letters are bold.
    public var isBold: Bool
    /// The colour of the letters: red, green, blue, alpha from 0 to 1, not premultiplied.
    public var color: SIMD4<Float>
    /// The colour of the outline: red, green, blue, alpha from 0 to 1, not premultiplied.
    public var outlineColor: SIMD4<Float>
    /// The width of the outline, in pixels; 0 for no outline.
    public var outlineWidth: Double
    /// The colour of the box behind the text; an alpha of 0 for no box.
    public var boxColor: SIMD4<Float>
    /// The distance from the text to the edges of the box, in pixels.
    public var padding: Int
    /// A Boolean value that indicates whether the image includes the start of the lines and their
    /// full height, so that texts of one style are aligned regardless of their letters. If it is
    /// false, the image is cropped to the visible part.
    public var coversLines = false

    /// Creates a style. By default, text is white, 24 pixels in size, in a sans-serif font.
    public init(
        family: String = "sans-serif", size: Double = 24, isBold: Bool = false,
        color: SIMD4<Float> = [1, 1, 1, 1], outlineColor: SIMD4<Float> = [0, 0, 0, 1],
        outlineWidth: Double = 0, boxColor: SIMD4<Float> = [0, 0, 0, 0], padding: Int = 0
    ) {
        self.family = family
        self.size = size
        self.isBold = isBold
        self.color = color
        self.outlineColor = outlineColor
        self.outlineWidth = outlineWidth
        self.boxColor = boxColor
        self.padding = padding
    }

    /// This style with all numbers replaced by the nearest ones that can be drawn.
    var drawable: TextStyle {
        func clamped(_ value: Double, _ range: ClosedRange<Double>) -> Double {
            value.isNaN ? range.lowerBound : min(max(value, range.lowerBound), range.upperBound)
        }
        func clamped(_ color: SIMD4<Float>) -> SIMD4<Float> {
            color.replacing(with: 0, where: color .!= color)
                .clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 1))
        }
        var style = self
        style.size = clamped(size, Self.sizes)
        style.outlineWidth = clamped(outlineWidth, Self.outlineWidths)
        style.padding = min(max(padding, 0), Self.maximumPadding)
        (style.color, style.outlineColor) = (clamped(color), clamped(outlineColor))
        style.boxColor = clamped(boxColor)
        return style
    }

    /// The range of font sizes, in pixels.
    private static let sizes = 1.0...8192
    private static let outlineWidths = 0.0...512
    private static let maximumPadding = 4096
}

// SPDX-License-Identifier: Apache-2.0

/// How text looks. Sizes are in pixels, colours red, green, blue and alpha from 0 to 1, not
/// premultiplied.
public struct TextStyle: Sendable, Hashable {
    /// A font family as fontconfig knows it, such as `sans-serif` or `monospace`.
    public var family: String
    /// From the top of one line to the top of the next, about.
    public var size: Double
    /// Whether letters are heavy.
    public var isBold: Bool
    /// Of the letters: red, green, blue, alpha from 0 to 1, not premultiplied.
    public var color: SIMD4<Float>
    /// Of what is around them, likewise.
    public var outlineColor: SIMD4<Float>
    /// Width of the outline; 0 for none.
    public var outlineWidth: Double
    /// The box behind the text; alpha 0 for none.
    public var boxColor: SIMD4<Float>
    /// From the text to the edges of the box.
    public var padding: Int
    /// Whether the picture covers the lines from their beginning and top, so that texts of one style
    /// stand alike whatever letters they have; else it is as small as what there is to see.
    package var coversLines = false

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

    /// The same, of numbers that can be drawn.
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

    /// In pixels, as far as there are screens for them.
    private static let sizes = 1.0...8192
    private static let outlineWidths = 0.0...512
    private static let maximumPadding = 4096
}

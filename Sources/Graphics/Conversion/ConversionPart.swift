// SPDX-License-Identifier: Apache-2.0

/// The part of a stored picture that is converted, and how large it comes out.
///
/// - Corresponds to: the source rectangle of a draw, and its viewport.
package struct ConversionPart: Sendable, Hashable {
    /// Left edge in fractions of the picture's width; with `width` below 0 the part runs from
    /// right to left, and comes out mirrored.
    package var x: Double
    /// Top edge in fractions of the picture's height.
    package var y: Double
    package var width: Double
    package var height: Double
    /// Size of what comes out, in pixels.
    package var outputWidth: Int
    package var outputHeight: Int

    package init(
        x: Double = 0, y: Double = 0, width: Double = 1, height: Double = 1, outputWidth: Int,
        outputHeight: Int
    ) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.outputWidth = outputWidth
        self.outputHeight = outputHeight
    }
}

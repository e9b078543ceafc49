// SPDX-License-Identifier: Apache-2.0

/// The part of a stored frame that is converted, and the size of the output.
///
/// - Corresponds to: the source rectangle of a draw, and its viewport.
package struct ConversionPart: Sendable, Hashable {
    /// The left edge, in fractions of the frame's width. If `width` is negative, the part runs from
    /// right to left and is mirrored.
    package var x: Double
    /// The top edge, in fractions of the frame's height.
    package var y: Double
    /// The width, in fractions of the frame's width.
    package var width: Double
    /// The height, in fractions of the frame's height.
    package var height: Double
    /// The width of the output, in pixels.
    package var outputWidth: Int
    /// The height of the output, in pixels.
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

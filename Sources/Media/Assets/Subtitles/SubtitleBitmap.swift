// SPDX-License-Identifier: Apache-2.0

/// A bitmap of a subtitle, with its position. It consists of an index for each pixel, and a
/// palette.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVSubtitleRect` of the type `SUBTITLE_BITMAP`.
package struct SubtitleBitmap: Sendable, Hashable {
    /// The distance from the left edge of the canvas, in pixels.
    package var x: Int
    /// The distance from the top edge of the canvas, in pixels.
    package var y: Int
    /// The width, in pixels.
    package var width: Int
    /// The height, in pixels.
    package var height: Int
    /// The width of the canvas to which positions refer, in pixels. The canvas has the size of the
    /// video for which the subtitle was made.
    package var canvasWidth: Int
    /// The height of the canvas, in pixels.
    package var canvasHeight: Int
    /// The indices of the pixels' colours, `width * height` numbers in rows from top to bottom.
    package var indices: [UInt8]
    /// The 256 colours of the palette: red, green, blue and alpha from 0 to 255, not premultiplied.
    package var palette: [SIMD4<UInt8>]

    /// Creates a bitmap.
    ///
    /// - Precondition: There are as many indices as pixels, and 256 colours in the palette.
    package init(
        x: Int, y: Int, width: Int, height: Int, canvasWidth: Int, canvasHeight: Int,
        indices: [UInt8], palette: [SIMD4<UInt8>]
    ) {
        precondition(indices.count == width * height, "a bitmap has a number for each pixel")
        precondition(palette.count == 256, "a palette has 256 colours")
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.canvasWidth = canvasWidth
        self.canvasHeight = canvasHeight
        self.indices = indices
        self.palette = palette
    }
}

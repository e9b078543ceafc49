// SPDX-License-Identifier: Apache-2.0

import PlayheadEditing
import PlayheadUI

/// Applies effects that are curves to frames, without OpenGL.
///
/// A frame is processed in strips of some rows: each strip is converted to R'G'B', changed, and
/// converted to the pixel format of the encoder, while its rows are in the processor's cache.
///
/// - Concurrency: one thread at a time.
final class CurvePainter {
    private let curves: EffectCurves
    // The threads of the encoder need the other processors.
    private let converter = PictureConverter(helperCount: 0)

    init(_ curves: EffectCurves) { self.curves = curves }

    /// Returns a frame with the effects applied; nil if only the renderer can draw it.
    ///
    /// - Parameter drawn: the converter to the pixel format of the encoder.
    func frame(
        of buffer: PixelBuffer, width: Int, height: Int, by drawn: DrawnFrameConverter
    ) -> PixelBuffer? {
        let attachments = buffer.attachments
        let shown = buffer.displaySize
        guard PictureConverter.canConvert(buffer), buffer.width == width, buffer.height == height,
            shown.width == Double(width), shown.height == Double(height),
            attachments.orientation == .up, attachments.fieldOrder == .progressive
        else { return nil }
        // Effects work on the values of BT.709, as in the renderer.
        let transform = ColorTransform(
            from: buffer.color, peakLuminance: attachments.peakLuminance, to: .bt709)
        guard PictureConverter.canApply(transform) else { return nil }
        let rowWidth = PictureConverter.paddedWidth(width)
        let part = ConversionPart(outputWidth: width, outputHeight: height)
        return drawn.frame(rowWidth: rowWidth) { rows, bytes in
            guard let base = bytes.baseAddress else { return }
            converter.convert(
                buffer, part: part, transform: transform, byteOrder: .rgba, rows: rows,
                into: base + (rows.count - 1) * rowWidth * 4, bytesPerRow: -rowWidth * 4)
            curves.apply(to: bytes)
        }
    }
}

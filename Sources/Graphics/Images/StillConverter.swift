// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
import PlayheadConversion

/// Converts frames of any format to RGBA, at any size, upright, on the CPU.
///
/// If a frame shrinks, a pixel is the mean of all samples that it covers, so that thumbnails
/// neither flicker nor show moiré. If it grows, samples are interpolated linearly, as in the
/// renderer. Colours are computed with `YCbCrConversion`, `ChromaSiting` and `ColorTransform`, so
/// PQ and HLG are tone mapped. `PictureConverter` is the faster converter for playback; it supports
/// fewer formats and uses the renderer's filter.
///
/// - Concurrency: any thread.
/// - Corresponds to: `VTCreateCGImageFromCVPixelBuffer`, FFmpeg's `sws_scale` with `SWS_AREA`.
package enum StillConverter {
    /// Returns the display size of a frame, reduced if necessary so that neither side is longer
    /// than `maximum`; 0 means no limit.
    package static func size(
        of buffer: PixelBuffer, within maximum: (width: Int, height: Int) = (0, 0),
        isUpright: Bool = true
    ) -> (width: Int, height: Int) {
        let shown = buffer.displaySize
        let swaps = !isUpright && buffer.attachments.orientation.swapsAxes
        let (width, height) = swaps ? (shown.height, shown.width) : shown
        var factor = 1.0
        if maximum.width > 0 { factor = min(factor, Double(maximum.width) / width) }
        if maximum.height > 0 { factor = min(factor, Double(maximum.height) / height) }
        return (
            max(1, Int((width * factor).rounded())), max(1, Int((height * factor).rounded()))
        )
    }

    /// Returns a frame as RGBA of the given size.
    ///
    /// - Parameters:
    ///   - isUpright: true to rotate and mirror the frame by its orientation.
    ///   - colorSpace: the colour space of the image. Standard-range video keeps its code values.
    package static func image(
        of buffer: PixelBuffer, width: Int, height: Int, isUpright: Bool = true,
        colorSpace: ColorSpace = .bt709
    ) -> RGBAImage {
        let bytes = [UInt8](unsafeUninitializedCapacity: width * height * 4) { bytes, filled in
            if let base = UnsafeMutableRawPointer(bytes.baseAddress) {
                write(
                    buffer, width: width, height: height, isUpright: isUpright,
                    colorSpace: colorSpace, into: base, bytesPerRow: width * 4)
            }
            filled = width * height * 4
        }
        return RGBAImage(width: width, height: height, bytes: bytes)
    }

    /// Writes a frame as RGBA of the given size into memory, with straight alpha and the top row
    /// first.
    ///
    /// Allocates memory for a few rows only.
    ///
    /// - Parameters:
    ///   - isUpright: true to rotate and mirror the frame by its orientation.
    ///   - colorSpace: the colour space of the image. Standard-range video keeps its code values.
    ///   - destination: the address of the first pixel of the top row.
    ///   - bytesPerRow: the distance from one row to the next, at least four times `width`.
    package static func write(
        _ buffer: PixelBuffer, width: Int, height: Int, isUpright: Bool = true,
        colorSpace: ColorSpace = .bt709, into destination: UnsafeMutableRawPointer,
        bytesPerRow: Int
    ) {
        precondition(width > 0 && height > 0, "an image of \(width) x \(height) pixels is empty")
        precondition(bytesPerRow >= width * 4, "rows must hold their pixels")
        let orientation = isUpright ? buffer.attachments.orientation : .up
        let stored = orientation.swapsAxes ? (height, width) : (width, height)
        let color = StillColor(of: buffer, in: colorSpace)
        var components = buffer.format.components.indices.map {
            ResampledComponent($0, of: buffer, width: stored.0, height: stored.1)
        }
        for row in 0..<stored.1 {
            for index in components.indices { components[index].makeRow(row) }
            let (first, step) = place(
                row, width: stored.0, height: stored.1, orientation, bytesPerRow: bytesPerRow)
            color.write(components, to: destination + first, step: step, count: stored.0)
        }
    }

    /// Returns the offset at which the first pixel of a stored row is written, and the step to the
    /// next pixel, in bytes. The row is mirrored first, and then rotated clockwise.
    private static func place(
        _ row: Int, width: Int, height: Int, _ orientation: PictureOrientation, bytesPerRow: Int
    ) -> (first: Int, step: Int) {
        let (first, step) =
            switch orientation.quarterTurns {
            case 1: ((height - 1 - row) * 4, bytesPerRow)
            case 2: ((height - 1 - row) * bytesPerRow + (width - 1) * 4, -4)
            case 3: ((width - 1) * bytesPerRow + row * 4, -bytesPerRow)
            default: (row * bytesPerRow, 4)
            }
        return orientation.isMirrored ? (first + step * (width - 1), -step) : (first, step)
    }
}

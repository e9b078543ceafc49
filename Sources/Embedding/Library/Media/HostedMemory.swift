// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
import PlayheadImages
import Synchronization

/// Converts frames in memory for hosts without OpenGL.
///
/// - Concurrency: any thread. For the usual formats, there is one conversion at a time.
final class HostedMemory: @unchecked Sendable {
    // Unchecked: everything is accessed only while `turn` is held.
    private let turn = Mutex(())
    private var converter: PictureConverter?
    /// The converted frame, before the rotation.
    private var scratch: [UInt32] = []

    /// The maximum width and height of the result.
    static let largestSide = 16_384

    /// Converts a frame to upright RGBA. All formats are supported, and the usual formats are
    /// converted fastest.
    func convert(
        _ buffer: PixelBuffer, width: Int, height: Int, into pixels: UnsafeMutableRawPointer,
        bytesPerRow: Int
    ) {
        guard PictureConverter.canConvert(buffer) else {
            return StillConverter.write(
                buffer, width: width, height: height, into: pixels, bytesPerRow: bytesPerRow)
        }
        turn.withLock { _ in
            let converter = self.converter ?? PictureConverter()
            self.converter = converter
            let orientation = buffer.attachments.orientation
            let (columns, rows) = orientation.swapsAxes ? (height, width) : (width, height)
            let stride = PictureConverter.paddedWidth(columns)
            if scratch.count < stride * rows {
                scratch = [UInt32](repeating: 0, count: stride * rows)
            }
            scratch.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                converter.convert(
                    buffer, part: ConversionPart(outputWidth: columns, outputHeight: rows),
                    transform: ColorTransform(
                        from: buffer.color, peakLuminance: buffer.attachments.peakLuminance,
                        to: .bt709),
                    byteOrder: .rgba, into: base, bytesPerRow: stride * 4)
            }
            scratch.withUnsafeBufferPointer { source in
                for y in 0..<height {
                    let row = (pixels + y * bytesPerRow)
                    for x in 0..<width {
                        let (column, line) = Self.stored(
                            x, y, orientation, columns: columns, rows: rows)
                        row.storeBytes(
                            of: source[line * stride + column], toByteOffset: x * 4,
                            as: UInt32.self)
                    }
                }
            }
        }
    }

    /// Returns the position in the stored frame for a pixel of the upright frame.
    private static func stored(
        _ x: Int, _ y: Int, _ orientation: PictureOrientation, columns: Int, rows: Int
    ) -> (column: Int, line: Int) {
        // This is the inverse of the rotation, followed by the inverse of the mirroring.
        let (column, line) =
            switch orientation.quarterTurns {
            case 1: (y, rows - 1 - x)
            case 2: (columns - 1 - x, rows - 1 - y)
            case 3: (columns - 1 - y, x)
            default: (x, y)
            }
        return (orientation.isMirrored ? columns - 1 - column : column, line)
    }
}

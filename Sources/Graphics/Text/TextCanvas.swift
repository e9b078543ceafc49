// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// A canvas that coverage bitmaps are drawn onto.
struct TextCanvas {
    /// The smallest rectangle that contains several given rectangles.
    struct Bounds {
        var left: Int
        var top: Int
        var right: Int
        var bottom: Int

        init(_ other: Bounds?, x: Int, y: Int, width: Int, height: Int) {
            left = min(other?.left ?? x, x)
            top = min(other?.top ?? y, y)
            right = max(other?.right ?? x, x + width)
            bottom = max(other?.bottom ?? y, y + height)
        }
    }

    private let left: Int
    private let top: Int
    private let width: Int
    private let height: Int
    /// The pixels as red, green, blue and alpha, premultiplied.
    private var bytes: [UInt8]

    init(_ bounds: Bounds, padding: Int, box: SIMD4<Float>) {
        let padding = max(0, padding)
        left = bounds.left - padding
        top = bounds.top - padding
        width = bounds.right - bounds.left + 2 * padding
        height = bounds.bottom - bounds.top + 2 * padding
        let alpha = min(max(box.w, 0), 1)
        let pixel = (0..<4).map { channel in
            let value = channel == 3 ? alpha : min(max(box[channel], 0), 1) * alpha
            return UInt8((value * 255).rounded())
        }
        bytes = [UInt8](repeating: 0, count: width * height * 4)
        guard alpha > 0 else { return }
        for index in bytes.indices { bytes[index] = pixel[index & 3] }
    }

    /// Draws a colour where a bitmap has coverage, with Porter and Duff's "over".
    ///
    /// - Parameter color: the colour, with red in the highest byte and transparency in the lowest,
    ///   as in libass.
    mutating func draw(
        coverage: UnsafePointer<UInt8>, bytesPerRow: Int, x: Int, y: Int, width: Int, height: Int,
        color: UInt32
    ) {
        let opacity = 255 - color & 0xFF
        let channels = SIMD4<UInt32>(color >> 24 & 0xFF, color >> 16 & 0xFF, color >> 8 & 0xFF, 255)
        let (left, top, lineLength) = (left, top, self.width)
        bytes.withUnsafeMutableBytes { bytes in
            for row in 0..<height {
                var index = ((y - top + row) * lineLength + x - left) * 4
                for column in 0..<width {
                    let share = UInt32(coverage[row * bytesPerRow + column]) * opacity / 255
                    if share > 0 {
                        let below = bytes.loadUnaligned(
                            fromByteOffset: index, as: SIMD4<UInt8>.self)
                        let sum =
                            channels &* share
                            &+ SIMD4<UInt32>(truncatingIfNeeded: below) &* (255 - share)
                        bytes.storeBytes(
                            of: SIMD4<UInt8>(truncatingIfNeeded: (sum &+ 127) / 255),
                            toByteOffset: index, as: SIMD4<UInt8>.self)
                    }
                    index += 4
                }
            }
        }
    }

    /// Draws premultiplied pixels over the canvas.
    mutating func draw(pixels: [SIMD4<UInt8>], x: Int, y: Int, width: Int, height: Int) {
        let (left, top, lineLength) = (left, top, self.width)
        bytes.withUnsafeMutableBytes { bytes in
            for row in 0..<height {
                var index = ((y - top + row) * lineLength + x - left) * 4
                for column in 0..<width {
                    let above = SIMD4<UInt32>(truncatingIfNeeded: pixels[row * width + column])
                    if above.w > 0 {
                        let below = SIMD4<UInt32>(
                            truncatingIfNeeded: bytes.loadUnaligned(
                                fromByteOffset: index, as: SIMD4<UInt8>.self))
                        let sum = above &+ (below &* (255 - above.w) &+ 127) / 255
                        bytes.storeBytes(
                            of: SIMD4<UInt8>(clamping: sum), toByteOffset: index,
                            as: SIMD4<UInt8>.self)
                    }
                    index += 4
                }
            }
        }
    }

    func picture() -> PixelBuffer {
        let attachments = PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB,
                alpha: .premultiplied))
        return PixelBuffer(
            format: .rgba, width: width, height: height, attachments: attachments
        ) { _, plane, bytesPerRow in
            bytes.withUnsafeBytes { source in
                for row in 0..<height {
                    let line = source[row * width * 4..<(row + 1) * width * 4]
                    UnsafeMutableRawBufferPointer(rebasing: plane[(row * bytesPerRow)...])
                        .copyBytes(from: line)
                }
            }
        }
    }
}

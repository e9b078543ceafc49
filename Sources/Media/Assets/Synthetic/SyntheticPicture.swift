// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadBuffers

/// The image of a frame of a synthetic asset: colour bars, a moving bar, a flash every second, and
/// the frame's number.
///
/// The image consists of upright rectangles, so it is fast to paint even in a debug build.
///
/// - Concurrency: a value; any thread.
package struct SyntheticPicture: Sendable, Hashable {
    /// The frame's number, written as a `FrameNumberStrip`.
    package var number: Int
    /// The width, in pixels.
    package var width: Int
    package var height: Int
    /// A Boolean value that indicates whether the lower right quarter is white instead of black. It
    /// is white in the first frames of each second.
    package var isFlash: Bool

    package init(number: Int, width: Int, height: Int, isFlash: Bool) {
        self.number = number
        self.width = width
        self.height = height
        self.isFlash = isFlash
    }

    /// A rectangle of one colour: 8-bit Y'CbCr of BT.709 in limited range.
    struct Patch {
        var x: Range<Int>
        var y: Range<Int>
        var color: (y: UInt8, cb: UInt8, cr: UInt8)
    }

    private static let white: (y: UInt8, cb: UInt8, cr: UInt8) = (235, 128, 128)
    private static let black: (y: UInt8, cb: UInt8, cr: UInt8) = (16, 128, 128)

    /// The colours of 75 % bars in BT.709, from SMPTE RP 219-1:2014, table 1, at 8 bits.
    private static let bars: [(y: UInt8, cb: UInt8, cr: UInt8)] = [
        (180, 128, 128), (168, 44, 136), (145, 147, 44), (133, 63, 52), (63, 193, 204),
        (51, 109, 212), (28, 212, 120),
    ]

    /// The rectangles of the image, from back to front.
    var patches: [Patch] {
        let (middle, third) = (height / 2, width / 2)
        var patches = Self.bars.enumerated().map { index, color in
            Patch(
                x: (width * index / 7)..<(width * (index + 1) / 7), y: 0..<height, color: color)
        }
        let bar = max(2, width / 32)
        let x = number * bar / 2 % max(1, width - bar)
        patches.append(Patch(x: x..<min(width, x + bar), y: 0..<height, color: Self.white))
        patches.append(
            Patch(
                x: third..<width, y: middle..<height, color: isFlash ? Self.white : Self.black))
        let strip = FrameNumberStrip(pictureWidth: width)
        guard strip.width <= width, strip.height <= height else { return patches }
        for (index, isWhite) in FrameNumberStrip.blocks(for: number).enumerated() {
            let left = index % FrameNumberStrip.columns * strip.blockSize
            let top = index / FrameNumberStrip.columns * strip.blockSize
            patches.append(
                Patch(
                    x: left..<(left + strip.blockSize), y: top..<(top + strip.blockSize),
                    color: isWhite ? Self.white : Self.black))
        }
        return patches
    }

    /// Paints the image in `format`. If a pool is given and has memory available, its memory is
    /// used.
    ///
    /// - Precondition: samples are integers of at most 16 bits, one or two bytes each.
    package func pixelBuffer(
        format: PixelFormat = .yuv420p,
        attachments: PixelBufferAttachments = PixelBufferAttachments(),
        pool: (any PixelBufferPool)? = nil
    ) -> PixelBuffer {
        precondition(!format.isFloat, "synthetic pictures have integer samples")
        let patches = patches
        return PixelBuffer(
            format: format, width: width, height: height, attachments: attachments, pool: pool
        ) { plane, bytes, bytesPerRow in
            for (index, component) in format.components.enumerated()
            where component.plane == plane {
                for patch in patches {
                    Self.paint(
                        patch, component: index, of: format, into: bytes, bytesPerRow: bytesPerRow)
                }
            }
        }
    }

    private static func paint(
        _ patch: Patch, component index: Int, of format: PixelFormat,
        into bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int
    ) {
        let component = format.components[index]
        let isChroma = format.isChroma(plane: component.plane)
        let shift = isChroma ? (format.log2ChromaWidth, format.log2ChromaHeight) : (0, 0)
        // Both edges are rounded up, like the sizes of subsampled planes, so that there are no gaps
        // between patches.
        func scaled(_ range: Range<Int>, _ shift: Int) -> Range<Int> {
            let bias = 1 << shift - 1
            return ((range.lowerBound + bias) >> shift)..<((range.upperBound + bias) >> shift)
        }
        let (columns, rows) = (scaled(patch.x, shift.0), scaled(patch.y, shift.1))
        let value = sample(patch.color, component: index, of: format) << UInt16(component.shift)
        let isWide = component.depth + component.shift > 8
        for row in rows {
            let start = row * bytesPerRow + component.offset
            if !isWide, component.step == 1 {
                let span = (start + columns.lowerBound)..<(start + columns.upperBound)
                let part = UnsafeMutableRawBufferPointer(rebasing: bytes[span])
                // A generic loop over the bytes would be slow in a debug build.
                if let first = part.baseAddress { memset(first, Int32(value & 0xFF), part.count) }
                continue
            }
            for column in columns {
                let offset = start + column * component.step
                if isWide {
                    bytes.storeBytes(
                        of: format.isBigEndian ? value.bigEndian : value.littleEndian,
                        toByteOffset: offset, as: UInt16.self)
                } else {
                    bytes[offset] = UInt8(truncatingIfNeeded: value)
                }
            }
        }
    }

    /// Returns the value of one component of a colour at the bit depth of the format.
    private static func sample(
        _ color: (y: UInt8, cb: UInt8, cr: UInt8), component index: Int, of format: PixelFormat
    ) -> UInt16 {
        let depth = format.components[index].depth
        let isAlpha = format.hasAlpha && index == format.components.count - 1
        if isAlpha { return UInt16((1 << depth) - 1) }
        guard format.model == .rgb else {
            let value = [color.y, color.cb, color.cr][index]
            return depth >= 8 ? UInt16(value) << UInt16(depth - 8) : UInt16(value >> (8 - depth))
        }
        // ITU-R BT.709-6: Kr 0.2126, Kb 0.0722; limited range to full.
        let luma = (Double(color.y) - 16) / 219
        let blueness = (Double(color.cb) - 128) / 224
        let redness = (Double(color.cr) - 128) / 224
        let red = luma + 2 * (1 - 0.2126) * redness
        let blue = luma + 2 * (1 - 0.0722) * blueness
        let green = (luma - 0.2126 * red - 0.0722 * blue) / 0.7152
        let value = min(max([red, green, blue][index], 0), 1)
        return UInt16((value * Double((1 << depth) - 1)).rounded())
    }
}

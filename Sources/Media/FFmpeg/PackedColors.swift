// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// A packed pixel format in which red, green and blue have fewer than eight bits each and share
/// four, eight or sixteen bits. Examples are RGB565 and similar formats of old videos and screen
/// recordings. The properties are derived from FFmpeg's descriptors.
struct PackedColors {
    private struct Component {
        /// The number of bits below the component.
        var shift: Int
        /// The 8-bit value of each level of the component, shifted to its place in 0xAARRGGBB.
        var levels: [UInt32]

        init(shift: Int, depth: Int, place: UInt32) {
            self.shift = shift
            let most = (UInt32(1) << UInt32(depth)) - 1
            levels = (0...most).map { (($0 * 255 + most / 2) / most) << place }
        }

        func color(in pixel: Int) -> UInt32 { levels[pixel >> shift & (levels.count - 1)] }
    }

    private let bitsPerPixel: Int
    private let isBigEndian: Bool
    private let components: [Component]

    /// Creates the description of a packed format. Fails for any other format.
    init?(_ format: AVPixelFormat) {
        guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else { return nil }
        let flags = Int32(truncatingIfNeeded: descriptor.flags)
        let others =
            AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_HWACCEL
            | AV_PIX_FMT_FLAG_PLANAR | AV_PIX_FMT_FLAG_ALPHA
        // This is checked for every decoded frame, so other formats are excluded without an
        // allocation.
        guard flags & AV_PIX_FMT_FLAG_RGB != 0, flags & others == 0, descriptor.nb_components == 3,
            descriptor.comp.0.depth < 8, descriptor.comp.1.depth < 8, descriptor.comp.2.depth < 8
        else { return nil }
        let stored = [descriptor.comp.0, descriptor.comp.1, descriptor.comp.2]
        let isBigEndian = flags & AV_PIX_FMT_FLAG_BE != 0
        let isBitstream = flags & AV_PIX_FMT_FLAG_BITSTREAM != 0
        let bitsPerPixel = Int(stored[0].step) * (isBitstream ? 1 : 8)
        guard [4, 8, 16].contains(bitsPerPixel) else { return nil }
        self.isBigEndian = isBigEndian
        self.bitsPerPixel = bitsPerPixel
        components = zip(stored, [16, 8, 0] as [UInt32]).map { stored, place in
            let (offset, depth) = (Int(stored.offset), Int(stored.depth))
            var shift = Int(stored.shift)
            if format == AV_PIX_FMT_RGB8 {
                // The format has three bits for red, three for green, and two for blue. Its
                // descriptor wrongly states two for red.
                return place == 0
                    ? Component(shift: 0, depth: 2, place: place)
                    : Component(shift: place == 16 ? 5 : 2, depth: 3, place: place)
            }
            if isBitstream {
                // Offsets are counted from the highest bit.
                shift = bitsPerPixel - offset - depth
            } else if bitsPerPixel == 16, shift + depth <= 8 {
                // The component is in one byte. In big-endian formats, offsets are counted from the
                // low byte.
                shift += 8 * (isBigEndian ? -offset : offset)
            }
            return Component(shift: shift, depth: depth, place: place)
        }
    }

    /// Returns the frame with eight bits per channel and opaque alpha.
    func expand(_ frame: AVFrame, _ attachments: PixelBufferAttachments) -> PixelBuffer? {
        guard let data = frame.data.0 else { return nil }
        return PixelBuffer(
            format: .bgra, width: Int(frame.width), height: Int(frame.height),
            attachments: attachments
        ) { _, bytes, bytesPerRow in
            for row in 0..<Int(frame.height) {
                let source = UnsafeRawPointer(data + row * Int(frame.linesize.0))
                for column in 0..<Int(frame.width) {
                    let pixel = self.pixel(column, of: source)
                    let color = components.reduce(0xFF00_0000) { $0 | $1.color(in: pixel) }
                    bytes.storeBytes(
                        of: color.littleEndian, toByteOffset: row * bytesPerRow + column * 4,
                        as: UInt32.self)
                }
            }
        }
    }

    private func pixel(_ column: Int, of row: UnsafeRawPointer) -> Int {
        switch bitsPerPixel {
        case 4:
            let byte = Int(row.load(fromByteOffset: column / 2, as: UInt8.self))
            return column % 2 == 0 ? byte >> 4 : byte & 15
        case 8: return Int(row.load(fromByteOffset: column, as: UInt8.self))
        default:
            let word = row.loadUnaligned(fromByteOffset: column * 2, as: UInt16.self)
            return Int(isBigEndian ? UInt16(bigEndian: word) : UInt16(littleEndian: word))
        }
    }
}

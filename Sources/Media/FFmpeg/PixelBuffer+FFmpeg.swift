// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

extension PixelBuffer {
    /// Returns a decoded frame as a pixel buffer, without a copy. Palettes, formats with one bit or
    /// a few bits per colour, and the X'Y'Z' of cinema are converted. Returns nil for formats that
    /// cannot be represented.
    static func wrapping(
        _ frame: FrameBox, attachments: PixelBufferAttachments
    ) -> PixelBuffer? {
        let values = frame.pointer.pointee
        let pixelFormat = AVPixelFormat(values.format)
        let (width, height) = (Int(values.width), Int(values.height))
        guard width > 0, height > 0 else { return nil }
        switch pixelFormat {
        case AV_PIX_FMT_PAL8: return expandPalette(values, attachments)
        case AV_PIX_FMT_MONOWHITE: return expandBits(values, attachments, one: 0)
        case AV_PIX_FMT_MONOBLACK: return expandBits(values, attachments, one: 255)
        default: break
        }
        if CinemaColors.isFormat(pixelFormat) { return CinemaColors.convert(values, attachments) }
        if let colors = PackedColors(pixelFormat) { return colors.expand(values, attachments) }
        guard let format = PixelFormatTable.format(pixelFormat) else { return nil }
        let data = values.data
        let rows = values.linesize
        let addresses = [data.0, data.1, data.2, data.3]
        let strides = [rows.0, rows.1, rows.2, rows.3]
        var planes: [Plane] = []
        planes.reserveCapacity(format.planeCount)
        for index in 0..<format.planeCount {
            guard let address = addresses[index] else { return nil }
            let size = format.planeSize(index, width: width, height: height)
            planes.append(
                Plane(
                    baseAddress: UnsafeRawPointer(address), bytesPerRow: Int(strides[index]),
                    width: size.width, height: size.height))
        }
        return PixelBuffer(
            format: format, width: width, height: height, planes: planes,
            attachments: attachments, memory: FrameMemory.of(values), owner: frame)
    }

    /// Expands indices into a palette of 256 colours. FFmpeg stores the colours as native 32-bit
    /// numbers 0xAARRGGBB, which are B, G, R, A in memory.
    private static func expandPalette(
        _ frame: AVFrame, _ attachments: PixelBufferAttachments
    ) -> PixelBuffer? {
        guard let indices = frame.data.0, let colors = frame.data.1 else { return nil }
        return PixelBuffer(
            format: .bgra, width: Int(frame.width), height: Int(frame.height),
            attachments: attachments
        ) { _, bytes, bytesPerRow in
            let palette = UnsafeRawPointer(colors)
            for row in 0..<Int(frame.height) {
                let source = indices + row * Int(frame.linesize.0)
                for column in 0..<Int(frame.width) {
                    let color = palette.loadUnaligned(
                        fromByteOffset: Int(source[column]) * 4, as: UInt32.self)
                    bytes.storeBytes(
                        of: color.littleEndian, toByteOffset: row * bytesPerRow + column * 4,
                        as: UInt32.self)
                }
            }
        }
    }

    /// Expands pixels of one bit. The highest bit of each byte is the leftmost pixel.
    private static func expandBits(
        _ frame: AVFrame, _ attachments: PixelBufferAttachments, one: UInt8
    ) -> PixelBuffer? {
        guard let bits = frame.data.0 else { return nil }
        var attachments = attachments
        attachments.color.range = .full
        return PixelBuffer(
            format: .gray8, width: Int(frame.width), height: Int(frame.height),
            attachments: attachments
        ) { _, bytes, bytesPerRow in
            for row in 0..<Int(frame.height) {
                let source = bits + row * Int(frame.linesize.0)
                for column in 0..<Int(frame.width) {
                    let isSet = source[column / 8] & (0x80 >> UInt8(column % 8)) != 0
                    bytes[row * bytesPerRow + column] = isSet ? one : 255 - one
                }
            }
        }
    }
}

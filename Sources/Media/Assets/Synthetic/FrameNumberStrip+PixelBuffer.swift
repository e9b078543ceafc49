// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

extension FrameNumberStrip {
    /// Reads the number from a pixel buffer, using luma or, for RGB, green.
    ///
    /// - Parameters:
    ///   - pixelBuffer: A frame with integer samples.
    ///   - sourceWidth: The original width of the frame; nil if the frame was not scaled.
    ///   - sourceHeight: The original height of the frame; nil if the frame was not scaled.
    package static func read(
        from pixelBuffer: PixelBuffer, sourceWidth: Int? = nil, sourceHeight: Int? = nil
    ) -> Int? {
        let format = pixelBuffer.format
        guard !format.isFloat else { return nil }
        let component = format.components[format.model == .rgb ? 1 : 0]
        let plane = pixelBuffer.planes[component.plane]
        return read(
            in: Area(width: Double(pixelBuffer.width), height: Double(pixelBuffer.height)),
            sourceWidth: sourceWidth ?? pixelBuffer.width,
            sourceHeight: sourceHeight ?? pixelBuffer.height
        ) { x, y in
            let address = plane.baseAddress + (y * plane.bytesPerRow + x * component.step)
            let sample = address + component.offset
            guard component.depth > 8 else { return Double(sample.load(as: UInt8.self)) }
            let word = sample.loadUnaligned(as: UInt16.self)
            return Double((format.isBigEndian ? word.byteSwapped : word) >> component.shift)
        }
    }

    /// Reads the number from rows of four-byte pixels, RGBA or BGRA, with the top row first.
    ///
    /// - Parameters:
    ///   - pixels: `height` rows of `bytesPerRow` bytes.
    ///   - picture: The rectangle of the frame in the pixels; nil if the frame fills them.
    package static func read(
        fromRGBA pixels: UnsafeRawBufferPointer, width: Int, height: Int, bytesPerRow: Int? = nil,
        picture: Area? = nil, sourceWidth: Int, sourceHeight: Int
    ) -> Int? {
        let stride = bytesPerRow ?? width * 4
        guard pixels.count >= stride * (height - 1) + width * 4 else { return nil }
        return read(
            in: picture ?? Area(width: Double(width), height: Double(height)),
            sourceWidth: sourceWidth, sourceHeight: sourceHeight
        ) { x, y in
            guard (0..<width).contains(x), (0..<height).contains(y) else { return 0 }
            return Double(pixels[y * stride + x * 4 + 1])
        }
    }
}

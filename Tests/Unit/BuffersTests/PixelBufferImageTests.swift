// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Testing

@Suite struct PixelBufferImageTests {
    @Test func `an image becomes a pixel buffer byte for byte`() {
        let image = RGBAImage(width: 3, height: 2, bytes: (0..<24).map { UInt8($0) })
        let buffer = PixelBuffer(image)
        #expect((buffer.width, buffer.height) == (3, 2) && buffer.format == .rgba)
        let plane = buffer.planes[0]
        let bytes = (0..<2).flatMap { row in
            (0..<12).map { column in
                (plane.baseAddress + row * plane.bytesPerRow + column).load(as: UInt8.self)
            }
        }
        #expect(bytes == image.bytes)
    }
}

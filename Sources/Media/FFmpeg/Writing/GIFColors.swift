// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// The reduction of R'G'B' to the 256 colours of GIF: three bits of red and green and two bits of
/// blue, with dithering.
enum GIFColors {
    /// The thresholds of an ordered dither of 4 x 4 pixels, in sixteenths. They are Bayer's matrix.
    private static let thresholds = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

    /// Fills a frame of `AV_PIX_FMT_RGB8` from interleaved BGRA.
    static func fill(_ frame: UnsafeMutablePointer<AVFrame>, with buffer: PixelBuffer) {
        guard let target = FramePlanes.address(frame, 0), let plane = buffer.planes.first else {
            return
        }
        for y in 0..<plane.height {
            let row = (plane.baseAddress + y * plane.bytesPerRow)
                .assumingMemoryBound(to: UInt8.self)
            for x in 0..<plane.width {
                let threshold = thresholds[(y & 3) * 4 + (x & 3)]
                func level(_ value: UInt8, _ levels: Int) -> UInt8 {
                    // The fraction above a level is compared with the threshold.
                    UInt8((Int(value) * levels * 16 + 255 * threshold) / (255 * 16))
                }
                target.start[y * target.bytesPerRow + x] =
                    level(row[x * 4 + 2], 7) << 5 | level(row[x * 4 + 1], 7) << 2
                    | level(row[x * 4], 3)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadBuffers
import PlayheadText
import PlayheadTime

extension SubtitleRasterizer {
    /// Draws the subtitles at a time over a grey image.
    func image(_ layout: Layout, at time: MediaTime) -> TestImage {
        let (width, height) = (layout.width, layout.height)
        var image = TestImage(
            width: width, height: height,
            pixels: (0..<width * height).flatMap { _ -> [UInt8] in [90, 110, 130, 255] })
        guard let drawing = draw(at: time, layout: layout) else { return image }
        let plane = drawing.picture.planes[0]
        for y in 0..<plane.height {
            for x in 0..<plane.width {
                let pixel = (plane.baseAddress + y * plane.bytesPerRow + x * 4)
                    .loadUnaligned(as: SIMD4<UInt8>.self)
                let (column, row) = (x + drawing.x, y + drawing.y)
                guard (0..<width).contains(column), (0..<height).contains(row) else { continue }
                for channel in 0..<3 {
                    let index = (row * width + column) * 4 + channel
                    let under = Int(image.pixels[index]) * (255 - Int(pixel.w)) / 255
                    image.pixels[index] = UInt8(clamping: under + Int(pixel[channel]))
                }
            }
        }
        return image
    }
}

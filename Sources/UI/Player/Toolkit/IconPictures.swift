// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// The images of icons. Each icon is drawn once per size.
///
/// - Concurrency: the main thread.
@MainActor final class IconPictures {
    private struct Key: Hashable {
        var icon: Icon
        var side: Int
    }

    private var pictures: [Key: PixelBuffer] = [:]

    /// Returns an icon in white, as a square image with the given side in pixels.
    func picture(of icon: Icon, side: Int) -> PixelBuffer {
        let key = Key(icon: icon, side: max(1, side))
        if let picture = pictures[key] { return picture }
        let picture = Self.draw(icon.shape, side: key.side)
        pictures[key] = picture
        return picture
    }

    /// Returns an image of a shape in white. Its alpha is the coverage of each pixel.
    nonisolated static func draw(_ shape: IconShape, side: Int) -> PixelBuffer {
        let attachments = PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB,
                alpha: .premultiplied))
        // The number of pixels in a unit of the grid.
        let scale = Double(side) / 24
        return PixelBuffer(format: .rgba, width: side, height: side, attachments: attachments) {
            _, bytes, bytesPerRow in
            for y in 0..<side {
                for x in 0..<side {
                    let point = SIMD2(Double(x) + 0.5, Double(y) + 0.5) / scale
                    let coverage = min(max(0.5 - shape.distance(point) * scale, 0), 1)
                    let value = UInt8((coverage * 255).rounded())
                    bytes.storeBytes(
                        of: SIMD4(repeating: value), toByteOffset: y * bytesPerRow + x * 4,
                        as: SIMD4<UInt8>.self)
                }
            }
        }
    }
}

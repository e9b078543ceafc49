// SPDX-License-Identifier: Apache-2.0

extension PixelBuffer {
    /// A copy of a picture, for layers to show: a thumbnail, a screenshot.
    ///
    /// - Corresponds to: what `CIContext.render(_:to:)` makes of a `CIImage(cgImage:)`.
    public convenience init(_ image: RGBAImage) {
        self.init(format: .rgba, width: image.width, height: image.height) {
            _, bytes, bytesPerRow in
            image.bytes.withUnsafeBytes { pixels in
                for row in 0..<image.height {
                    let line = pixels[row * image.width * 4..<(row + 1) * image.width * 4]
                    UnsafeMutableRawBufferPointer(rebasing: bytes[(row * bytesPerRow)...])
                        .copyBytes(from: line)
                }
            }
        }
    }
}

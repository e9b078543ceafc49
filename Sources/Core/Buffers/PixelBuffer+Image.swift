// SPDX-License-Identifier: Apache-2.0

extension PixelBuffer {
    /// Creates a pixel buffer with a copy of an image, such as a thumbnail or a screenshot. Layers
    /// can show the buffer.
    ///
    /// - Corresponds to: the result of `CIContext.render(_:to:)` for a `CIImage(cgImage:)`.
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

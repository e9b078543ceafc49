// SPDX-License-Identifier: Apache-2.0

extension TestImage {
    /// Returns the image at a fraction of its size; each pixel is the mean of a square of pixels.
    /// The remainder on the right and at the bottom is cut off.
    ///
    /// - Parameter factor: The side of the square in pixels.
    public func reduced(by factor: Int) -> TestImage {
        let (width, height) = (self.width / factor, self.height / factor)
        let count = factor * factor
        var result = [UInt8](repeating: 0, count: width * height * 4)
        pixels.withUnsafeBufferPointer { source in
            result.withUnsafeMutableBufferPointer { target in
                for row in 0..<height {
                    for column in 0..<width {
                        var sum = SIMD4<Int>(repeating: count / 2)
                        for y in row * factor..<(row + 1) * factor {
                            for x in column * factor..<(column + 1) * factor {
                                let pixel = (y * self.width + x) * 4
                                sum &+= SIMD4(
                                    Int(source[pixel]), Int(source[pixel + 1]),
                                    Int(source[pixel + 2]), Int(source[pixel + 3]))
                            }
                        }
                        let pixel = (row * width + column) * 4
                        for part in 0..<4 { target[pixel + part] = UInt8(sum[part] / count) }
                    }
                }
            }
        }
        return TestImage(width: width, height: height, pixels: result)
    }

    /// Returns the image with a part of it in black.
    public func hiding(x: Range<Int>, y: Range<Int>) -> TestImage {
        var result = self
        for row in y.clamped(to: 0..<height) {
            for column in x.clamped(to: 0..<width) {
                let pixel = (row * width + column) * 4
                for part in 0..<3 { result.pixels[pixel + part] = 0 }
            }
        }
        return result
    }
}

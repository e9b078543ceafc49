// SPDX-License-Identifier: Apache-2.0

extension TestImage {
    /// Returns the image at a fraction of its size; each pixel is the mean of a square of pixels.
    /// The remainder on the right and at the bottom is cut off.
    ///
    /// - Parameter factor: The side of the square in pixels.
    public func reduced(by factor: Int) -> TestImage {
        let (width, height) = (self.width / factor, self.height / factor)
        var result = [UInt8](repeating: 0, count: width * height * 4)
        pixels.withUnsafeBufferPointer { source in
            result.withUnsafeMutableBufferPointer { target in
                guard let source = source.baseAddress, var pixel = target.baseAddress else {
                    return
                }
                // Loops over ranges are slow in a debug build.
                var row = 0
                while row < height {
                    var square = source + row * factor * self.width * 4
                    let end = pixel + width * 4
                    while pixel < end {
                        Self.writeMean(of: square, factor, rowSize: self.width * 4, to: pixel)
                        square += factor * 4
                        pixel += 4
                    }
                    row += 1
                }
            }
        }
        return TestImage(width: width, height: height, pixels: result)
    }

    /// Writes the mean of a square of pixels.
    private static func writeMean(
        of square: UnsafePointer<UInt8>, _ side: Int, rowSize: Int,
        to pixel: UnsafeMutablePointer<UInt8>
    ) {
        let count = side * side
        var (red, green, blue, alpha) = (count / 2, count / 2, count / 2, count / 2)
        var (row, start) = (0, square)
        while row < side {
            var place = start
            let end = start + side * 4
            while place < end {
                red += Int(place[0])
                green += Int(place[1])
                blue += Int(place[2])
                alpha += Int(place[3])
                place += 4
            }
            start += rowSize
            row += 1
        }
        pixel[0] = UInt8(red / count)
        pixel[1] = UInt8(green / count)
        pixel[2] = UInt8(blue / count)
        pixel[3] = UInt8(alpha / count)
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

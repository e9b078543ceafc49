// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Glibc
package import PlayheadAssets

/// An image that a test examines: RGBA, 8 bits each, top row first.
///
/// - Concurrency: a value; any thread.
public struct TestImage: Sendable, Hashable {
    public var width: Int
    public var height: Int
    /// `width * height` times R, G, B, A.
    public var pixels: [UInt8]

    /// Creates an image.
    ///
    /// - Precondition: The number of bytes matches the size.
    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 4, "\(width) x \(height) RGBA")
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// R, G, B, A of a pixel.
    public subscript(x: Int, y: Int) -> SIMD4<UInt8> {
        let offset = (y * width + x) * 4
        return SIMD4(
            pixels[offset], pixels[offset + 1], pixels[offset + 2], pixels[offset + 3])
    }

    /// Returns the number of the synthetic frame in the image or in a part of it, or nil if it
    /// shows no number.
    ///
    /// - Parameters:
    ///   - sourceWidth: The original width of the frame, or nil if it was not scaled.
    ///   - sourceHeight: The original height of the frame, or nil if it was not scaled.
    package func frameNumber(
        sourceWidth: Int? = nil, sourceHeight: Int? = nil, in part: FrameNumberStrip.Area? = nil
    ) -> Int? {
        pixels.withUnsafeBytes {
            FrameNumberStrip.read(
                fromRGBA: $0, width: width, height: height, picture: part,
                sourceWidth: sourceWidth ?? width, sourceHeight: sourceHeight ?? height)
        }
    }

    /// Returns the difference of two images of one size: the largest difference of a component, and
    /// the root of the mean of the squared ones. Returns nil for different sizes.
    public func difference(from other: TestImage) -> (maximum: Int, rootMeanSquare: Double)? {
        guard (width, height) == (other.width, other.height) else { return nil }
        let (maximum, sum) = differences(from: other)
        let mean = Double(sum) / Double(max(1, pixels.count))
        return (maximum, mean.squareRoot())
    }

    /// Returns the largest difference of a component, and the sum of the squared ones. Blocks of
    /// equal bytes are skipped, since loops over pixels are slow in a debug build.
    private func differences(from other: TestImage) -> (maximum: Int, sum: Int) {
        var (maximum, sum) = (0, 0)
        pixels.withUnsafeBufferPointer { pixels in
            other.pixels.withUnsafeBufferPointer { others in
                guard let pixel = pixels.baseAddress, let other = others.baseAddress else { return }
                var start = 0
                while start < pixels.count {
                    let end = min(start + 256, pixels.count)
                    if memcmp(pixel + start, other + start, end - start) != 0 {
                        var index = start
                        while index < end {
                            let distance = abs(Int(pixel[index]) - Int(other[index]))
                            if distance > maximum { maximum = distance }
                            sum += distance * distance
                            index += 1
                        }
                    }
                    start = end
                }
            }
        }
        return (maximum, sum)
    }

    /// Returns an image of the differences of two images of one size, amplified so that a
    /// difference of 8 is clearly visible.
    public func differencePicture(from other: TestImage) -> TestImage {
        var result = self
        for index in pixels.indices {
            let distance = abs(Int(pixels[index]) - Int(other.pixels[index]))
            result.pixels[index] = index % 4 == 3 ? 255 : UInt8(min(255, distance * 16))
        }
        return result
    }

    /// Reads a PNG file of 8 bits a component.
    public init(contentsOf url: URL) throws {
        self = try PNGFile.decode([UInt8](try Data(contentsOf: url)))
    }

    /// Writes a PNG file and creates its folders.
    public func write(to url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(PNGFile.encode(self)).write(to: url)
    }
}

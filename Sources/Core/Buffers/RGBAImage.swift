// SPDX-License-Identifier: Apache-2.0

/// An image as bytes: the red, green, blue and alpha of each pixel, in rows from top to bottom
/// without gaps.
///
/// It is used for snapshots and tests; frames on the way to the screen never have this form.
///
/// - Corresponds to: `CGImage` with 8 bits per component.
public struct RGBAImage: Sendable, Hashable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The pixels, `width` times `height` times 4 bytes.
    public let bytes: [UInt8]

    /// Creates an image.
    ///
    /// - Precondition: the number of bytes is `width` times `height` times 4.
    public init(width: Int, height: Int, bytes: [UInt8]) {
        precondition(bytes.count == width * height * 4, "an RGBA image has four bytes a pixel")
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// The red, green, blue and alpha of the pixel at a column and a row.
    public subscript(x: Int, y: Int) -> SIMD4<UInt8> {
        let start = (y * width + x) * 4
        return SIMD4(bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
    }

    /// Returns the image with its rows in reverse order.
    package func flippedVertically() -> RGBAImage {
        let bytesPerRow = width * 4
        var flipped: [UInt8] = []
        flipped.reserveCapacity(bytes.count)
        for row in (0..<height).reversed() {
            flipped.append(contentsOf: bytes[row * bytesPerRow..<(row + 1) * bytesPerRow])
        }
        return RGBAImage(width: width, height: height, bytes: flipped)
    }
}

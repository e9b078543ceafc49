// SPDX-License-Identifier: Apache-2.0

/// A number that is written into a frame as black and white blocks. A test can read from the pixels
/// alone which frame it has.
///
/// The strip is in the top left corner of the frame. It has two rows of 16 blocks. Each block has
/// 16 x 16 pixels, or fewer if the frame is narrower than 256 pixels. Read row by row, the blocks
/// are: one white block, one black block, 22 bits of the number, and 8 bits of a checksum. White is
/// one, and high bits come first. The first two blocks give the reader the current levels of white
/// and black, so the strip survives scaling, conversion and compression. The checksum distinguishes
/// a strip from other images.
///
/// - Concurrency: a value; any thread.
package struct FrameNumberStrip: Sendable, Hashable {
    /// The number of blocks in a row.
    package static let columns = 16
    /// The number of rows of blocks.
    package static let rows = 2
    /// The exclusive upper limit of the numbers that can be written. It is reached after 19 hours
    /// at 60 frames per second.
    package static let limit = 1 << numberBits

    private static let numberBits = 22
    private static let checkBits = 8

    /// The width and height of a block, in pixels of the original frame.
    package let blockSize: Int

    /// Creates the strip for a frame whose original width is `width`. Blocks are 16 pixels wide and
    /// high, or smaller if the frame is narrower than 256 pixels. Their width and height are even,
    /// which aligns them with the grid of subsampled chroma.
    package init(pictureWidth width: Int) {
        blockSize = max(2, min(16, width / Self.columns / 2 * 2))
    }

    /// The width of the strip, in pixels of the original frame.
    package var width: Int { blockSize * Self.columns }
    package var height: Int { blockSize * Self.rows }

    /// Returns a Boolean value for each block, row by row; true if the block is white.
    ///
    /// - Precondition: `number` is in `0 ..< limit`.
    package static func blocks(for number: Int) -> [Bool] {
        precondition((0..<limit).contains(number), "a strip holds numbers below \(limit)")
        let code = number << checkBits | Int(check(of: number))
        return [true, false] + (0..<(numberBits + checkBits)).reversed().map { code >> $0 & 1 == 1 }
    }

    /// Reads the number from pixels.
    ///
    /// - Parameters:
    ///   - picture: The rectangle of the whole frame in the pixels. The frame may be scaled to any
    ///     size at which a block still covers a pixel or two.
    ///   - sourceWidth: The original width of the frame, in pixels.
    ///   - sourceHeight: The original height of the frame, in pixels.
    ///   - brightness: A function that returns the brightness of the pixel at a column and row, in
    ///     any unit: luma, green, or a sum of components.
    /// - Returns: The number; nil if there is no strip or the strip is damaged.
    package static func read(
        in picture: Area, sourceWidth: Int, sourceHeight: Int,
        brightness: (_ x: Int, _ y: Int) -> Double
    ) -> Int? {
        let strip = FrameNumberStrip(pictureWidth: sourceWidth)
        guard sourceWidth >= strip.width, sourceHeight >= strip.height else { return nil }
        let step = (
            x: picture.width / Double(sourceWidth) * Double(strip.blockSize),
            y: picture.height / Double(sourceHeight) * Double(strip.blockSize)
        )
        // The level is the mean of nine pixels in the middle half of a block. Noise averages out,
        // and neither scaling nor compression smears neighbouring blocks that far.
        let levels = (0..<(columns * rows)).map { block -> Double in
            let left = picture.x + Double(block % columns) * step.x
            let top = picture.y + Double(block / columns) * step.y
            var sum = 0.0
            for row in [0.3, 0.5, 0.7] {
                for column in [0.3, 0.5, 0.7] {
                    sum += brightness(Int(left + column * step.x), Int(top + row * step.y))
                }
            }
            return sum / 9
        }
        let (white, black) = (levels[0], levels[1])
        guard white > black else { return nil }
        let code = levels.dropFirst(2).reduce(0) { $0 << 1 | ($1 > (white + black) / 2 ? 1 : 0) }
        let number = code >> checkBits
        return code & 0xFF == Int(check(of: number)) ? number : nil
    }

    /// A rectangle whose edges may be between pixels.
    package struct Area: Sendable, Hashable {
        package var x: Double
        package var y: Double
        package var width: Double
        package var height: Double

        package init(x: Double = 0, y: Double = 0, width: Double, height: Double) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    /// Returns the checksum of a number: CRC-8 with the polynomial x⁸ + x² + x + 1 (ITU-T I.432.1,
    /// with its final XOR of 0x55) over the number's three bytes. The checksum rejects uniform
    /// frames and noise.
    private static func check(of number: Int) -> UInt8 {
        var remainder: UInt8 = 0
        for byte in [number >> 16, number >> 8, number] {
            remainder ^= UInt8(truncatingIfNeeded: byte)
            for _ in 0..<8 {
                remainder = remainder & 0x80 != 0 ? remainder << 1 ^ 0x07 : remainder << 1
            }
        }
        return remainder ^ 0x55
    }
}

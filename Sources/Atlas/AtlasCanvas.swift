// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// A frame of an atlas, assembled tile by tile.
///
/// - Concurrency: a value; any thread.
public struct AtlasCanvas: Sendable {
    /// The width, in pixels.
    public let width: Int
    /// The height, in pixels.
    public let height: Int
    private var bytes: [UInt8]

    /// Creates a black canvas.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
        bytes = [UInt8](repeating: 0, count: width * height * 4)
        for index in stride(from: 3, to: bytes.count, by: 4) { bytes[index] = 255 }
    }

    /// Draws an image into a tile, and repeats its edge pixels up to the edges of the tile's cell.
    ///
    /// - Precondition: the image has the size of the tile's area, and the cell lies in the canvas.
    public mutating func place(_ image: RGBAImage, in tile: TextureAtlas.Tile) {
        let (area, cell) = (tile.area, tile.cell)
        precondition(
            image.width == area.width && image.height == area.height,
            "a tile of \(area.width) x \(area.height) needs an image of this size")
        precondition(
            TextureAtlas.Area(x: 0, y: 0, width: width, height: height).contains(cell)
                && cell.contains(area), "\(tile.name) must be within the canvas")
        let bytesPerRow = width * 4
        image.bytes.withUnsafeBufferPointer { source in
            bytes.withUnsafeMutableBufferPointer { target in
                for y in cell.y..<cell.y + cell.height {
                    let row = min(max(y - area.y, 0), area.height - 1) * area.width * 4
                    let start = y * bytesPerRow
                    for x in cell.x..<area.x {
                        for k in 0..<4 { target[start + x * 4 + k] = source[row + k] }
                    }
                    for k in 0..<area.width * 4 { target[start + area.x * 4 + k] = source[row + k] }
                    let last = row + (area.width - 1) * 4
                    for x in area.x + area.width..<cell.x + cell.width {
                        for k in 0..<4 { target[start + x * 4 + k] = source[last + k] }
                    }
                }
            }
        }
    }

    /// The contents of the canvas as an image.
    public var image: RGBAImage { RGBAImage(width: width, height: height, bytes: bytes) }
}

extension RGBAImage {
    /// Returns a mix of this image and another one of the same size.
    ///
    /// - Parameter share: the share of the other image, from 0 (only this image) to 1 (only the
    ///   other).
    public func dissolved(into other: RGBAImage, by share: Double) -> RGBAImage {
        precondition(
            width == other.width && height == other.height, "both images must have the same size")
        let weight = Int((min(max(share, 0), 1) * 256).rounded())
        let mixed = zip(bytes, other.bytes).map {
            UInt8((Int($0) * (256 - weight) + Int($1) * weight + 128) >> 8)
        }
        return RGBAImage(width: width, height: height, bytes: mixed)
    }
}

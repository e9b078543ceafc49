// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// One picture of an atlas, put together tile by tile.
///
/// - Concurrency: a value; any thread.
public struct AtlasCanvas: Sendable {
    /// In pixels.
    public let width: Int
    public let height: Int
    private var bytes: [UInt8]

    /// A black one.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
        bytes = [UInt8](repeating: 0, count: width * height * 4)
        for index in stride(from: 3, to: bytes.count, by: 4) { bytes[index] = 255 }
    }

    /// Puts a picture into a tile, and lets its edge pixels go on to the edges of the cell.
    ///
    /// - Precondition: the picture has the size of the tile's area, and the cell lies in the
    ///   canvas.
    public mutating func place(_ image: RGBAImage, in tile: TextureAtlas.Tile) {
        let (area, cell) = (tile.area, tile.cell)
        precondition(
            image.width == area.width && image.height == area.height,
            "a tile of \(area.width) x \(area.height) takes pictures of this size")
        precondition(
            TextureAtlas.Area(x: 0, y: 0, width: width, height: height).contains(cell)
                && cell.contains(area), "\(tile.name) lies in the canvas")
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

    /// What has been put together.
    public var image: RGBAImage { RGBAImage(width: width, height: height, bytes: bytes) }
}

extension RGBAImage {
    /// This picture dissolved into another of its size: 0 is this, 1 the other.
    public func dissolved(into other: RGBAImage, by share: Double) -> RGBAImage {
        precondition(width == other.width && height == other.height, "pictures of one size")
        let weight = Int((min(max(share, 0), 1) * 256).rounded())
        let mixed = zip(bytes, other.bytes).map {
            UInt8((Int($0) * (256 - weight) + Int($1) * weight + 128) >> 8)
        }
        return RGBAImage(width: width, height: height, bytes: mixed)
    }
}

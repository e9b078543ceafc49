// SPDX-License-Identifier: Apache-2.0

/// The positions of tiles in an atlas. Tiles are placed in rows, from the tallest tile to the
/// lowest, in a frame of the size that wastes the least area.
///
/// - Concurrency: a value; any thread.
public struct AtlasLayout: Sendable, Hashable {
    /// The width of the frame, in pixels; a multiple of `TextureAtlas.alignment`.
    public let width: Int
    /// The height of the frame, in pixels; a multiple of `TextureAtlas.alignment`.
    public let height: Int
    /// The areas of the tiles, in the order of the given sizes.
    public let areas: [TextureAtlas.Area]
    /// The cells of the tiles, including their guard bands.
    public let cells: [TextureAtlas.Area]

    /// The default for the largest side of a frame, in pixels. OpenGL 3.3 implementations support
    /// textures of 4096 by 4096 pixels. Level 5.1 of H.264, which GPUs decode, allows frames with
    /// one side of 4096 pixels.
    public static let largestSide = 4096

    /// Creates a layout.
    ///
    /// - Parameters:
    ///   - sizes: the sizes of the tiles, in pixels.
    ///   - guardBand: the minimum width of the guard band around each tile, in pixels.
    /// - Returns: nil if there are no tiles, or if they do not fit into a frame of `largestSide`.
    public init?(sizes: [(width: Int, height: Int)], guardBand: Int, largestSide: Int = largestSide)
    {
        let step = TextureAtlas.alignment
        // Tiles start at even pixels, where chroma samples start.
        let band = (guardBand + 1) / 2 * 2
        let cellSizes = sizes.map { size in
            (
                width: Self.rounded(size.width + 2 * band, to: step),
                height: Self.rounded(size.height + 2 * band, to: step)
            )
        }
        guard let widest = cellSizes.map(\.width).max() else { return nil }
        // Tiles are sorted from the tallest to the lowest, and tiles of equal height from the
        // widest to the narrowest. Tiles of equal size keep the given order, so that they form a
        // grid in reading order.
        let order = cellSizes.indices.sorted {
            let (a, b) = (cellSizes[$0], cellSizes[$1])
            return (b.height, b.width, $0) < (a.height, a.width, $1)
        }
        var best: (width: Int, height: Int, corners: [(x: Int, y: Int)], score: Double)?
        var limit = widest
        while limit <= largestSide {
            let shelves = Self.shelves(cellSizes, order, width: limit)
            let (width, height) = (shelves.width, shelves.height)
            if width <= largestSide, height <= largestSide {
                // If several frame sizes have the same area, the shape that is nearest to 16:9 is
                // chosen.
                let shape = Double(width) / Double(height) * 9 / 16
                let score = Double(width * height) * (1 + 0.05 * abs(shape < 1 ? 1 / shape : shape))
                if score < best?.score ?? .infinity {
                    best = (width, height, shelves.corners, score)
                }
            }
            limit += step
        }
        guard let best else { return nil }
        width = best.width
        height = best.height
        cells = zip(best.corners, cellSizes).map {
            TextureAtlas.Area(x: $0.x, y: $0.y, width: $1.width, height: $1.height)
        }
        areas = zip(cells, sizes).map { cell, size in
            TextureAtlas.Area(
                x: cell.x + max(band, (cell.width - size.width) / 4 * 2),
                y: cell.y + max(band, (cell.height - size.height) / 4 * 2),
                width: size.width, height: size.height)
        }
    }

    private static func rounded(_ length: Int, to step: Int) -> Int {
        (length + step - 1) / step * step
    }

    private static func shelves(
        _ sizes: [(width: Int, height: Int)], _ order: [Int], width limit: Int
    ) -> (width: Int, height: Int, corners: [(x: Int, y: Int)]) {
        var corners = [(x: Int, y: Int)](repeating: (0, 0), count: sizes.count)
        var (x, y, shelfHeight, width) = (0, 0, 0, 0)
        for index in order {
            if x > 0, x + sizes[index].width > limit {
                (x, y, shelfHeight) = (0, y + shelfHeight, 0)
            }
            corners[index] = (x, y)
            x += sizes[index].width
            width = max(width, x)
            shelfHeight = max(shelfHeight, sizes[index].height)
        }
        return (width, y + shelfHeight, corners)
    }
}

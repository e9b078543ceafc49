// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadLayers

/// A video whose frames contain a grid of smaller videos, the tiles, with the position of each
/// tile.
///
/// One decoder and one upload serve all tiles. Each tile is shown by its own layer, whose
/// `contentsRect` selects a part of the common output.
///
///     let atlas = try TextureAtlas(contentsOf: "loops.json")
///     let layer = Layer(.video(output), contentsRect: atlas.contentsRect(of: atlas.tiles[3]))
///
/// Each tile is in a cell whose edges are at multiples of 16 pixels, the size of codecs' blocks, so
/// that no block has parts of two tiles. The guard band between the tile and the cell's edge
/// repeats the tile's edge pixels. Scaling, chroma subsampling and deblocking then use the same
/// pixels beyond an edge as they do at the edge of a separate video.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: a sprite sheet with extruded edges; `CALayer.contentsRect`.
public struct TextureAtlas: Sendable, Hashable {
    /// A rectangle in pixels of the video; the top left corner is the origin.
    public struct Area: Sendable, Hashable, Codable {
        /// The left edge, in pixels.
        public var x: Int
        /// The upper edge, in pixels.
        public var y: Int
        /// The width, in pixels.
        public var width: Int
        /// The height, in pixels.
        public var height: Int

        /// Creates an area.
        public init(x: Int, y: Int, width: Int, height: Int) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    /// One of the videos in an atlas.
    public struct Tile: Sendable, Hashable, Codable {
        /// The name, which is different for each tile.
        public var name: String
        /// The displayed part: the cell without its guard band.
        public var area: Area
        /// The area of the tile and its guard band. It overlaps no other cell, and its edges are at
        /// multiples of `alignment`.
        public var cell: Area
        /// The loop that the tile was made from; nil if it was not made from a loop.
        public var loop: LoopPoint?

        /// Creates a tile.
        public init(name: String, area: Area, cell: Area, loop: LoopPoint? = nil) {
            self.name = name
            self.area = area
            self.cell = cell
            self.loop = loop
        }
    }

    /// The alignment of cells, in pixels: the size of a macroblock (ITU-T H.264, 3.88). The larger
    /// blocks of later codecs can be divided to this size.
    public static let alignment = 16

    /// The path of the video, relative to the manifest's folder.
    public var film: String
    /// The width of the video, in pixels.
    public var width: Int
    /// The height of the video, in pixels.
    public var height: Int
    /// The number of frames in the video, which is a loop.
    public var frameCount: Int
    /// The frame rate, in frames per second.
    public var frameRate: Double
    /// The minimum width of the guard band around each tile, in pixels.
    public var guardBand: Int
    /// The tiles, in the order of the manifest.
    public var tiles: [Tile]

    /// Creates an atlas.
    public init(
        film: String, width: Int, height: Int, frameCount: Int, frameRate: Double, guardBand: Int,
        tiles: [Tile]
    ) {
        self.film = film
        self.width = width
        self.height = height
        self.frameCount = frameCount
        self.frameRate = frameRate
        self.guardBand = guardBand
        self.tiles = tiles
    }

    /// Creates an atlas for a grid without guard bands, as other tools produce it, with tiles from
    /// left to right and from top to bottom.
    public init(
        film: String = "", columns: Int, rows: Int, width: Int, height: Int, frameCount: Int = 0,
        frameRate: Double = 0
    ) {
        let tiles = (0..<columns * rows).map { index in
            let area = Area(
                x: index % columns * width / columns, y: index / columns * height / rows,
                width: width / columns, height: height / rows)
            return Tile(name: "\(index + 1)", area: area, cell: area)
        }
        self.init(
            film: film, width: width, height: height, frameCount: frameCount,
            frameRate: frameRate, guardBand: 0, tiles: tiles)
    }

    /// The tile with the given name; nil if no tile has that name.
    public subscript(name: String) -> Tile? { tiles.first { $0.name == name } }

    /// Returns the `Layer.contentsRect` with which a layer shows a tile: a part of the video, in
    /// fractions of its width and height.
    ///
    /// If the guard bands are wide enough for all filters, the part is exactly the tile. Otherwise
    /// the part is smaller than the tile, so that linear filters do not read colours of other
    /// tiles. The difference depends on the siting of the video's chroma samples.
    ///
    /// - Parameters:
    ///   - format: the video's pixel format; 4:2:0, the most common, by default.
    ///   - location: the siting of the video's chroma samples.
    public func contentsRect(
        of tile: Tile, format: PixelFormat = .yuv420p,
        location: ColorAttachments.ChromaLocation = .left
    ) -> LayerRect {
        let area = tile.area
        let insets =
            guardBand >= Self.leastGuardBand
            ? TileInsets.none : TileInsets(of: area, format: format, location: location)
        return LayerRect(
            x: (Double(area.x) + insets.left) / Double(width),
            y: (Double(area.y) + insets.top) / Double(height),
            width: (Double(area.width) - insets.left - insets.right) / Double(width),
            height: (Double(area.height) - insets.top - insets.bottom) / Double(height))
    }

    /// The minimum guard band, in pixels. Filters read up to one and a half chroma samples beyond
    /// an edge, and a chroma sample of 4:2:0 is two pixels wide.
    static let leastGuardBand = 4
}

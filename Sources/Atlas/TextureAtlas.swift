// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadLayers

/// A video with a grid of videos in each frame, and the position of each.
///
/// One decoder and one upload serve all of them: each is shown by a layer of its own on the one
/// output, by its `contentsRect`.
///
///     let atlas = try TextureAtlas(contentsOf: "loops.json")
///     let layer = Layer(.video(output), contentsRect: atlas.contentsRect(of: atlas.tiles[3]))
///
/// Each tile is in a cell whose edges are at multiples of 16 pixels, the size of codecs' blocks, so
/// that no block has parts of two tiles. Around the tile, up to the cell's edge, its edge pixels
/// are repeated: the guard band. Filters, chroma and deblocking then read the same pixels beyond an
/// edge as at the edge of a separate video.
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

    /// One of the videos.
    public struct Tile: Sendable, Hashable, Codable {
        /// The name; different for each tile.
        public var name: String
        /// The displayed part: the cell without its guard band.
        public var area: Area
        /// The tile with its guard band, which overlaps no other; at multiples of `alignment`.
        public var cell: Area
        /// The loop that was made of it; nil if none was.
        public var loop: LoopPoint?

        /// Creates a tile.
        public init(name: String, area: Area, cell: Area, loop: LoopPoint? = nil) {
            self.name = name
            self.area = area
            self.cell = cell
            self.loop = loop
        }
    }

    /// The alignment of cells, in pixels: the macroblock of ITU-T H.264, 3.88, which larger blocks
    /// of later codecs are divided down to.
    public static let alignment = 16

    /// The path of the video, relative to the manifest's folder.
    public var film: String
    /// The width of the video, in pixels.
    public var width: Int
    /// The height of the video, in pixels.
    public var height: Int
    /// The number of frames in the video, which is a loop.
    public var frameCount: Int
    /// The frame rate, in frames a second.
    public var frameRate: Double
    /// The minimum number of pixels around each tile that repeat its edges.
    public var guardBand: Int
    /// The tiles, in order.
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

    /// Creates a grid without guard bands, with tiles from left to right and from top to bottom, as
    /// other tools make them.
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

    /// The tile of a name.
    public subscript(name: String) -> Tile? { tiles.first { $0.name == name } }

    /// Returns the part of the video that a layer shows of a tile, in fractions, for
    /// `Layer.contentsRect`.
    ///
    /// With a guard band it is the tile, to the pixel. Without one it is reduced by the reach of
    /// linear filters, which depends on the siting of the video's chroma samples.
    ///
    /// - Parameters:
    ///   - format: the video's pixel format; 4:2:0, the most common, by default.
    ///   - location: the siting of its chroma samples.
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

    /// The minimum guard band, in pixels: chroma of 4:2:0 is read up to a sample and a half away
    /// from an edge, of two pixels each.
    static let leastGuardBand = 4
}

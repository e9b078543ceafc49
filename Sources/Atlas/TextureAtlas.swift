// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadLayers

/// A film that holds a grid of films, and where in it each of them is.
///
/// One decoder and one upload serve all of them: each is shown by a layer of its own on the one
/// output, by its `contentsRect`.
///
///     let atlas = try TextureAtlas(contentsOf: "loops.json")
///     let layer = Layer(.video(output), contentsRect: atlas.contentsRect(of: atlas.tiles[3]))
///
/// Each tile stands in a cell that begins and ends at multiples of 16 pixels, which is how codecs
/// divide pictures, so that no block of theirs holds two tiles. Around the tile, up to the cell's
/// edge, its own edge pixels go on: the guard band. What filters, chroma and deblocking fetch from
/// beyond an edge is then what they would fetch at the edge of a film of its own.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: a sprite sheet with extruded edges; `CALayer.contentsRect`.
public struct TextureAtlas: Sendable, Hashable {
    /// Pixels of the film; the top left corner is the origin.
    public struct Area: Sendable, Hashable, Codable {
        /// Left edge, in pixels.
        public var x: Int
        /// Upper edge, in pixels.
        public var y: Int
        public var width: Int
        public var height: Int

        public init(x: Int, y: Int, width: Int, height: Int) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    /// One of the films.
    public struct Tile: Sendable, Hashable, Codable {
        /// What it is called; different for each tile.
        public var name: String
        /// What is shown: the cell without its guard band.
        public var area: Area
        /// Nobody else's pixels; multiples of `alignment`.
        public var cell: Area
        /// How it was made to repeat; nil where nobody saw to it.
        public var loop: LoopPoint?

        public init(name: String, area: Area, cell: Area, loop: LoopPoint? = nil) {
            self.name = name
            self.area = area
            self.cell = cell
            self.loop = loop
        }
    }

    /// What cells are multiples of: the macroblock of ITU-T H.264, 3.88, which larger blocks of
    /// later codecs are divided down to.
    public static let alignment = 16

    /// The film, as a path from the manifest's folder.
    public var film: String
    /// Of the film, in pixels.
    public var width: Int
    public var height: Int
    /// Frames of the film, of which it is a loop, and how many of them a second has.
    public var frameCount: Int
    /// Frames a second.
    public var frameRate: Double
    /// Pixels around each tile that repeat its edges, at least.
    public var guardBand: Int
    /// What is in it, in order.
    public var tiles: [Tile]

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

    /// A grid without guard bands, its tiles from left to right and from top to bottom: how films
    /// that were made without us hold films.
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

    /// The part of the film that a layer shows of a tile: in fractions, for `Layer.contentsRect`.
    ///
    /// Where there is a guard band, that is the tile, to the pixel. Else it is drawn in by as much
    /// as linear filters reach beyond, which depends on where the film has its chroma samples.
    ///
    /// - Parameters:
    ///   - format: the film's pixel format; 4:2:0, as most films have, unless given.
    ///   - location: where its chroma samples are sited.
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

    /// The chroma of 4:2:0 is read up to a sample and a half away from an edge, of two pixels each.
    static let leastGuardBand = 4
}

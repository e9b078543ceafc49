// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadAtlas
import PlayheadUI

/// The report of `atlas info`. The keys of its JSON are a contract.
struct AtlasReport: Encodable {
    var film: String
    var width: Int
    var height: Int
    var frames: Int
    var rate: Double
    var guardBand: Int
    var tiles: [TileReport]
    /// The descriptions of the checks that failed.
    var shortfalls: [String] = []
    /// A Boolean value that indicates whether the video was checked.
    private var isChecked = false

    struct TileReport: Encodable {
        var name: String
        var area: TextureAtlas.Area
        var loop: LoopPoint?
        /// The `contentsRect` of a layer that shows the tile: x, y, width and height, in fractions
        /// of the video's width and height.
        var contentsRect: [Double]
        /// The root mean square difference between the pixels around the tile and the edges of the
        /// tile.
        var guardError: Double?
        /// The root mean square difference between the last frame and the first, and the average
        /// difference between consecutive frames.
        var seam: Double?
        var step: Double?

        enum CodingKeys: String, CodingKey {
            case name, area, loop, seam, step
            case contentsRect = "contents_rect"
            case guardError = "guard_error"
        }
    }

    enum CodingKeys: String, CodingKey {
        case film, width, height, frames, rate, tiles, shortfalls
        case guardBand = "guard_band"
    }

    private let atlas: TextureAtlas

    init(atlas: TextureAtlas) {
        self.atlas = atlas
        film = atlas.film
        width = atlas.width
        height = atlas.height
        frames = atlas.frameCount
        rate = atlas.frameRate
        guardBand = atlas.guardBand
        tiles = atlas.tiles.map { tile in
            let rect = atlas.contentsRect(of: tile)
            return TileReport(
                name: tile.name, area: tile.area, loop: tile.loop,
                contentsRect: [rect.x, rect.y, rect.width, rect.height])
        }
    }

    /// The maximum difference, in code values. A greater difference means that the video is not the
    /// one that the manifest describes, or is compressed so strongly that neighbouring tiles bleed
    /// into each other.
    private static let guardLimit = 8.0

    /// Checks all frames of a video against the manifest.
    mutating func check(_ file: String) throws {
        isChecked = true
        let reader = try AssetReader(asset: URLAsset(file))
        let pictures = try reader.addVideoOutput()
        let painter = try StillPainter()
        var searches = atlas.tiles.map { _ in LoopSearch() }
        var guardErrors = [Double](repeating: 0, count: tiles.count)
        var count = 0
        while let frame = try pictures.copyNextSampleBuffer() {
            let image = try painter.image(of: frame.pixelBuffer)
            guard image.width == width, image.height == height else {
                shortfalls.append(
                    "the video has \(image.width) x \(image.height) pixels; its manifest says "
                        + "\(width) x \(height)")
                return
            }
            for (index, tile) in atlas.tiles.enumerated() {
                guardErrors[index] = max(guardErrors[index], tile.guardError(in: image))
                searches[index].append(image.part(tile.area))
            }
            count += 1
        }
        if count != frames {
            shortfalls.append("the video has \(count) frames; its manifest says \(frames)")
        }
        for index in tiles.indices {
            if guardBand > 0 {
                tiles[index].guardError = guardErrors[index]
                if guardErrors[index] > Self.guardLimit {
                    shortfalls.append(
                        "the guard band of \(tiles[index].name) differs by "
                            + String(format: "%.1f", guardErrors[index])
                            + " of 255 from the edges of the tile; name the video of this "
                            + "manifest, or build the atlas with a lower --crf")
                }
            }
            // When the video loops, its first frame follows its last frame. If the source of the
            // tile loops seamlessly and is repeated in the video, the difference after the last
            // frame may be as large as that between two of these repetitions.
            let loop = tiles[index].loop
            let period = loop?.isSeamless == true ? loop?.length ?? frames : frames
            guard let whole = searches[index].whole(period: period) else { continue }
            tiles[index].seam = whole.seam
            tiles[index].step = whole.step
            if !whole.isSeamless {
                shortfalls.append(
                    "the last frame of \(tiles[index].name) does not match its first")
            }
        }
    }

    /// The report as text, in lines.
    var lines: [String] {
        let seconds = rate > 0 ? Double(frames) / rate : 0
        let band = guardBand > 0 ? "guard band \(guardBand)" : "no guard band"
        var lines = [
            "\(film): \(tiles.count) tiles in \(width) x \(height) pixels, \(band), "
                + String(format: "%d frames, %.2f s at %.4g fps", frames, seconds, rate)
        ]
        let widest = tiles.map(\.name.count).max() ?? 0
        for tile in tiles {
            var line = "  " + tile.name + String(repeating: " ", count: widest - tile.name.count)
            line += "  \(tile.area.width)x\(tile.area.height) at \(tile.area.x), \(tile.area.y)"
            if let loop = tile.loop {
                line += "; frames \(loop.start) to \(loop.start + loop.length - 1)"
                line +=
                    loop.dissolve > 0
                    ? ", the last \(loop.dissolve) dissolved"
                    : String(format: ", seam %.1f, frame difference %.1f", loop.seam, loop.step)
            }
            if let seam = tile.seam, let step = tile.step {
                line += String(format: "; seam in the video %.1f of %.1f", seam, step)
            }
            if let error = tile.guardError { line += String(format: ", guard %.1f", error) }
            lines.append(line)
        }
        if isChecked, shortfalls.isEmpty { lines.append("all checks passed") }
        return lines
    }
}

extension TextureAtlas.Tile {
    /// Returns the difference between the two rows and columns around the tile and the tile's
    /// edges.
    func guardError(in image: RGBAImage) -> Double {
        var (sum, count) = (0, 0)
        func compare(_ x: Int, _ y: Int) {
            let nearest = image[
                min(max(x, area.x), area.x + area.width - 1),
                min(max(y, area.y), area.y + area.height - 1)]
            let there = image[x, y]
            for channel in 0..<3 {
                let difference = Int(nearest[channel]) - Int(there[channel])
                sum += difference * difference
                count += 1
            }
        }
        for y in max(cell.y, area.y - 2)..<min(cell.y + cell.height, area.y + area.height + 2) {
            let isBeside = y >= area.y && y < area.y + area.height
            let range = max(cell.x, area.x - 2)..<min(cell.x + cell.width, area.x + area.width + 2)
            for x in range where !(isBeside && x >= area.x && x < area.x + area.width) {
                compare(x, y)
            }
        }
        return count == 0 ? 0 : (Double(sum) / Double(count)).squareRoot()
    }
}

extension RGBAImage {
    /// Returns a part of the image.
    func part(_ area: TextureAtlas.Area) -> RGBAImage {
        var part: [UInt8] = []
        part.reserveCapacity(area.width * area.height * 4)
        for y in area.y..<area.y + area.height {
            let start = (y * width + area.x) * 4
            part.append(contentsOf: bytes[start..<start + area.width * 4])
        }
        return RGBAImage(width: area.width, height: area.height, bytes: part)
    }
}

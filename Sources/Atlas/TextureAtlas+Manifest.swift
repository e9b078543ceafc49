// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import PlayheadAssets

extension TextureAtlas {
    /// The value of the key `kind`, which identifies a file as the manifest of an atlas.
    static let kind = "playhead-atlas"
    /// The version of the format; increased when older readers can no longer read new manifests.
    static let version = 1

    /// A manifest as it is stored. The keys are part of the file format and must not change.
    private struct Manifest: Codable {
        var kind: String
        var version: Int
        var film: String
        var width: Int
        var height: Int
        var frames: Int
        var rate: Double
        var guardBand: Int
        var tiles: [Tile]

        enum CodingKeys: String, CodingKey {
            case kind, version, film, width, height, frames, rate, tiles
            case guardBand = "guard_band"
        }
    }

    /// Creates an atlas from a manifest file.
    ///
    /// - Throws: `MediaError` if the file cannot be read, is not a manifest, or contradicts itself.
    public init(contentsOf path: String) throws(MediaError) {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw MediaError(
                .cannotOpen, subject: path, cause: "the file cannot be read",
                remedy: "use the .json that 'playhead atlas build' writes next to the video")
        }
        try self.init(json: [UInt8](data), name: path)
    }

    /// Creates an atlas from a manifest in memory.
    ///
    /// - Parameter name: the name of the manifest for error messages.
    /// - Throws: `MediaError` if the bytes are not a manifest, or contradict themselves.
    public init(json: [UInt8], name: String = "manifest") throws(MediaError) {
        let manifest: Manifest
        do {
            manifest = try JSONDecoder().decode(Manifest.self, from: Data(json))
        } catch {
            throw MediaError(
                .unknownFormat, subject: name,
                cause: "not a manifest of an atlas (\(Self.reason(error)))",
                remedy: "rebuild it with 'playhead atlas build'")
        }
        guard manifest.kind == Self.kind, manifest.version == Self.version else {
            throw MediaError(
                .unknownFormat, subject: name,
                cause: "expected \(Self.kind) of version \(Self.version), found "
                    + "\(manifest.kind) of version \(manifest.version)",
                remedy: "rebuild it with 'playhead atlas build'")
        }
        self.init(
            film: manifest.film, width: manifest.width, height: manifest.height,
            frameCount: manifest.frames, frameRate: manifest.rate,
            guardBand: manifest.guardBand, tiles: manifest.tiles)
        if let problem = problems.first {
            throw MediaError(
                .damaged, subject: name, cause: problem,
                remedy: "rebuild it with 'playhead atlas build'")
        }
    }

    /// The manifest as JSON with sorted keys.
    public var json: [UInt8] {
        let manifest = Manifest(
            kind: Self.kind, version: Self.version, film: film, width: width, height: height,
            frames: frameCount, rate: frameRate, guardBand: guardBand, tiles: tiles)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // The manifest has only numbers and strings, so encoding cannot fail.
        return (try? encoder.encode(manifest)).map { [UInt8]($0) } ?? []
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "the key \(key.stringValue) is missing"
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            "wrong type at \(context.codingPath.map(\.stringValue).joined(separator: "."))"
        default: "not JSON"
        }
    }

    /// The largest size in pixels and the largest number of frames: more than any decoder or
    /// texture supports.
    private static let longest = 1 << 20

    /// The contradictions in the atlas. If there are no contradictions, the atlas can be used.
    public var problems: [String] {
        var problems: [String] = []
        if tiles.isEmpty { problems.append("it has no tiles") }
        let numbers =
            [width, height, guardBand] + tiles.flatMap { $0.area.numbers + $0.cell.numbers }
        guard numbers.allSatisfy({ $0.magnitude <= Self.longest }) else {
            return ["a number is out of range: the maximum is \(Self.longest)"]
        }
        if frameCount < 0 { problems.append("\(frameCount) is not a number of frames") }
        if !(frameRate.isFinite && frameRate >= 0) {
            problems.append("\(frameRate) is not a frame rate")
        }
        if guardBand < 0 { problems.append("a guard band cannot be \(guardBand) pixels wide") }
        if width <= 0 || height <= 0 { problems.append("\(width) x \(height) is not a size") }
        var names: Set<String> = []
        for (index, tile) in tiles.enumerated() {
            if !names.insert(tile.name).inserted {
                problems.append("two tiles are named '\(tile.name)'")
            }
            if !Area(x: 0, y: 0, width: width, height: height).contains(tile.cell) {
                problems.append("'\(tile.name)' is outside of the video")
            }
            if tile.area.width <= 0 || tile.area.height <= 0 || !tile.cell.contains(tile.area) {
                problems.append("'\(tile.name)' is outside of its cell")
            }
            if let loop = tile.loop, loop.start < 0 || loop.length <= 0 || loop.dissolve < 0 {
                problems.append("the loop of '\(tile.name)' is empty")
            }
            for other in tiles[..<index] where other.cell.intersects(tile.cell) {
                problems.append("'\(other.name)' and '\(tile.name)' overlap")
            }
            if guardBand > 0 {
                if !tile.cell.isAligned {
                    problems.append("'\(tile.name)' is not at multiples of \(Self.alignment)")
                }
                if tile.cell.margin(around: tile.area) < guardBand {
                    problems.append("the guard band of '\(tile.name)' is too narrow")
                }
            }
        }
        return problems
    }
}

extension TextureAtlas.Area {
    fileprivate var numbers: [Int] { [x, y, width, height] }

    func contains(_ other: Self) -> Bool {
        other.x >= x && other.y >= y && other.x + other.width <= x + width
            && other.y + other.height <= y + height
    }

    func intersects(_ other: Self) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height
            && other.y < y + height
    }

    /// A Boolean value that indicates whether the edges of the area are on the grid of a codec's
    /// blocks. If so, no block is partly inside and partly outside.
    var isAligned: Bool {
        [x, y, width, height].allSatisfy { $0 % TextureAtlas.alignment == 0 }
    }

    /// Returns the smallest distance from the edges of an inner area to the edges of this area.
    func margin(around area: Self) -> Int {
        min(
            area.x - x, area.y - y, x + width - area.x - area.width,
            y + height - area.y - area.height)
    }
}

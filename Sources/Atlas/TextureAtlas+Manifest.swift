// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension TextureAtlas {
    /// What the first line of a manifest says it is.
    static let kind = "playhead-atlas"
    /// Raised when older readers would misread a manifest.
    static let version = 1

    /// The manifest as it is stored: the keys are a contract.
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

    /// Reads a manifest.
    ///
    /// - Throws: `AtlasError` where it cannot be read, is no manifest, or contradicts itself.
    public init(contentsOf path: String) throws(AtlasError) {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw AtlasError(
                path, "it cannot be read",
                remedy: "use the .json that 'playhead atlas build' writes beside the film")
        }
        try self.init(json: [UInt8](data), name: path)
    }

    /// Reads a manifest in memory.
    ///
    /// - Parameter name: what errors call it.
    /// - Throws: `AtlasError` where it is no manifest, or contradicts itself.
    public init(json: [UInt8], name: String = "manifest") throws(AtlasError) {
        let manifest: Manifest
        do {
            manifest = try JSONDecoder().decode(Manifest.self, from: Data(json))
        } catch {
            throw AtlasError(
                name, "it is no manifest of an atlas (\(Self.reason(error)))",
                remedy: "make it anew with 'playhead atlas build'")
        }
        guard manifest.kind == Self.kind, manifest.version == Self.version else {
            throw AtlasError(
                name,
                "it is a \(manifest.kind) of version \(manifest.version), not a "
                    + "\(Self.kind) of version \(Self.version)",
                remedy: "make it anew with 'playhead atlas build'")
        }
        self.init(
            film: manifest.film, width: manifest.width, height: manifest.height,
            frameCount: manifest.frames, frameRate: manifest.rate,
            guardBand: manifest.guardBand, tiles: manifest.tiles)
        if let problem = problems.first {
            throw AtlasError(name, problem, remedy: "make it anew with 'playhead atlas build'")
        }
    }

    /// The manifest as JSON, its keys in order.
    public var json: [UInt8] {
        let manifest = Manifest(
            kind: Self.kind, version: Self.version, film: film, width: width, height: height,
            frames: frameCount, rate: frameRate, guardBand: guardBand, tiles: tiles)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Numbers and texts: there is nothing in it that JSON could not say.
        return (try? encoder.encode(manifest)).map { [UInt8]($0) } ?? []
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "there is no \(key.stringValue)"
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            "wrong type at \(context.codingPath.map(\.stringValue).joined(separator: "."))"
        default: "not JSON"
        }
    }

    /// Pixels; more than any decoder or texture has.
    private static let longest = 1 << 20

    /// What contradicts itself in it; empty where it can be used.
    public var problems: [String] {
        var problems: [String] = []
        if tiles.isEmpty { problems.append("it has no tiles") }
        let numbers =
            [width, height, guardBand] + tiles.flatMap { $0.area.numbers + $0.cell.numbers }
        guard numbers.allSatisfy({ $0.magnitude <= Self.longest }) else {
            return ["a number in it is of no film: no place is farther than \(Self.longest)"]
        }
        if frameCount < 0 { problems.append("\(frameCount) is no number of frames") }
        if !(frameRate.isFinite && frameRate >= 0) { problems.append("\(frameRate) is no rate") }
        if guardBand < 0 { problems.append("\(guardBand) is no width of a guard band") }
        if width <= 0 || height <= 0 { problems.append("\(width) x \(height) is no size") }
        var names: Set<String> = []
        for (index, tile) in tiles.enumerated() {
            if !names.insert(tile.name).inserted {
                problems.append("two tiles are called \(tile.name)")
            }
            if !Area(x: 0, y: 0, width: width, height: height).contains(tile.cell) {
                problems.append("\(tile.name) lies beyond the film")
            }
            if tile.area.width <= 0 || tile.area.height <= 0 || !tile.cell.contains(tile.area) {
                problems.append("\(tile.name) lies beyond its cell")
            }
            if let loop = tile.loop, loop.start < 0 || loop.length <= 0 || loop.dissolve < 0 {
                problems.append("the loop of \(tile.name) is none")
            }
            for other in tiles[..<index] where other.cell.intersects(tile.cell) {
                problems.append("\(other.name) and \(tile.name) overlap")
            }
            if guardBand > 0 {
                if !tile.cell.isAligned {
                    problems.append("\(tile.name) is not at multiples of \(Self.alignment)")
                }
                if tile.cell.margin(around: tile.area) < guardBand {
                    problems.append("the guard band of \(tile.name) is too narrow")
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

    /// Whether no block of a codec's holds a part of it and of something else.
    var isAligned: Bool {
        [x, y, width, height].allSatisfy { $0 % TextureAtlas.alignment == 0 }
    }

    /// The least distance from an area's edges to its own.
    func margin(around area: Self) -> Int {
        min(
            area.x - x, area.y - y, x + width - area.x - area.width,
            y + height - area.y - area.height)
    }
}

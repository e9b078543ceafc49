// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAtlas
import PlayheadBuffers
import PlayheadLayers
import Testing

/// Manifests, and the positions of tiles.
@Suite("Atlas")
struct TextureAtlasTests {
    private func atlas(_ sizes: [(width: Int, height: Int)], guardBand: Int) throws -> TextureAtlas
    {
        let layout = try #require(AtlasLayout(sizes: sizes, guardBand: guardBand))
        return TextureAtlas(
            film: "film.mp4", width: layout.width, height: layout.height, frameCount: 60,
            frameRate: 30, guardBand: guardBand,
            tiles: sizes.indices.map {
                TextureAtlas.Tile(
                    name: "tile \($0)", area: layout.areas[$0], cell: layout.cells[$0],
                    loop: LoopPoint(start: $0, length: 60, seam: 0.5, step: 2))
            })
    }

    @Test func `cells are at multiples of 16, do not overlap, and include their guard bands`()
        throws
    {
        var random: UInt64 = 11
        func next(_ range: ClosedRange<Int>) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return range.lowerBound + Int(random >> 33) % range.count
        }
        for _ in 0..<200 {
            let sizes = (0..<next(1...14)).map { _ in (next(1...300), next(1...300)) }
            let guardBand = next(0...20)
            let made = try atlas(sizes, guardBand: guardBand)
            #expect(made.problems.isEmpty, "\(sizes), \(guardBand)")
            #expect(made.width % 16 == 0 && made.height % 16 == 0)
            for (tile, size) in zip(made.tiles, sizes) {
                #expect((tile.area.width, tile.area.height) == size)
                // A sample of subsampled chroma begins with the tile.
                #expect(tile.area.x % 2 == 0 && tile.area.y % 2 == 0)
            }
        }
    }

    @Test func `equal tiles make a grid in reading order that wastes nothing`() throws {
        let made = try atlas(Array(repeating: (240, 128), count: 12), guardBand: 8)
        #expect(made.width * made.height == 12 * 256 * 144)
        let places = made.tiles.map { ($0.cell.y, $0.cell.x) }
        for (first, second) in zip(places, places.dropFirst()) { #expect(first < second) }
        #expect(AtlasLayout(sizes: Array(repeating: (1000, 1000), count: 40), guardBand: 8) == nil)
    }

    @Test func `a manifest round trips, and one that contradicts itself is refused`() throws {
        let made = try atlas([(100, 60), (64, 64), (20, 30)], guardBand: 8)
        #expect(try TextureAtlas(json: made.json) == made)
        var wrong = made
        wrong.tiles[1].name = "tile 0"
        #expect(throws: MediaError.self) { try TextureAtlas(json: wrong.json) }
        let spoils: [(inout TextureAtlas) -> Void] = [
            { $0.frameCount = -5 }, { $0.frameRate = -1 }, { $0.guardBand = -1 },
            { $0.tiles[0].loop = LoopPoint(start: 0, length: 0, seam: 0, step: 0) },
            { $0.tiles[0].loop = LoopPoint(start: -1, length: 5, seam: 0, step: 0) },
            { $0.tiles[0].loop = LoopPoint(start: 0, length: 5, seam: 0, step: 0, dissolve: -1) },
        ]
        for spoil in spoils {
            var atlas = made
            spoil(&atlas)
            #expect(throws: MediaError.self) { try TextureAtlas(json: atlas.json) }
        }
        wrong = made
        wrong.tiles[2].cell = wrong.tiles[0].cell
        wrong.tiles[2].area = wrong.tiles[0].area
        #expect(wrong.problems.contains { $0.contains("overlap") })
        wrong = made
        wrong.width -= 16
        #expect(wrong.problems.contains { $0.contains("outside of the video") })
        wrong = made
        wrong.tiles[0].area.x -= 10
        #expect(wrong.problems.contains { $0.contains("guard band") })
        for number in [Int.max, .min] {
            wrong = made
            wrong.tiles[0].cell.x = number
            #expect(wrong.problems.contains { $0.contains("out of range") })
            wrong = made
            wrong.guardBand = number
            #expect(wrong.problems.contains { $0.contains("out of range") })
        }
        let error = #expect(throws: MediaError.self) {
            try TextureAtlas(json: Array("{\"kind\": 3}".utf8), name: "a.json")
        }
        #expect(error?.description.hasPrefix("a.json: not a manifest of an atlas") == true)
        #expect(throws: MediaError.self) { try TextureAtlas(contentsOf: "/nonexistent/a.json") }
    }

    @Test func `guarded tiles are shown to the pixel; others begin at their first chroma samples`()
        throws
    {
        let guarded = try atlas([(100, 60)], guardBand: 8)
        let rect = guarded.contentsRect(of: guarded.tiles[0])
        let area = guarded.tiles[0].area
        #expect(rect.x * Double(guarded.width) == Double(area.x))
        #expect(rect.width * Double(guarded.width) == 100)

        let plain = TextureAtlas(columns: 4, rows: 2, width: 400, height: 200)
        #expect(plain.problems.isEmpty)
        func insets(
            _ format: PixelFormat, _ location: ColorAttachments.ChromaLocation
        ) -> [Double] {
            let tile = plain.tiles[5]
            let rect = plain.contentsRect(of: tile, format: format, location: location)
            let (left, top) = (rect.x * 400 - 100, rect.y * 200 - 100)
            return [left, 100 - left - rect.width * 400, top, 100 - top - rect.height * 200]
                .map { ($0 * 1e6).rounded() / 1e6 }
        }
        #expect(insets(.yuv444p, .left) == [0.5, 0.5, 0.5, 0.5])
        #expect(insets(.rgba, .left) == [0.5, 0.5, 0.5, 0.5])
        // With left siting, the first chroma sample is at the first luma sample, and holds a
        // quarter of the pixel before it, so that the second one is the first of the tile's own.
        // The last one is at the second last pixel. Between two rows, the samples are a pixel from
        // either edge.
        #expect(insets(.yuv420p, .left) == [2.5, 1.5, 1, 1])
        #expect(insets(.yuv420p, .center) == [1, 1, 1, 1])
        #expect(insets(.yuv420p, .topLeft) == [2.5, 1.5, 2.5, 1.5])
        #expect(insets(.yuv420p, .bottom) == [1, 1, 1.5, 2.5])
        #expect(insets(.yuv422p, .left) == [2.5, 1.5, 0.5, 0.5])
    }
}

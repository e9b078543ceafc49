// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// `atlas`: several videos in one.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct AtlasTests {
    private let folder = TemporaryFolder()

    private func json(_ url: URL) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    }

    @Test
    func `atlas build writes the tiles of its manifest, and atlas info verifies them`() throws {
        let films = [try Films.silent(seconds: 2), try Films.film(seconds: 1)]
        let output = folder.appending("atlas.mkv")
        try Tool.run(
            "atlas", "build", films[0], films[1], films[0], "--tile", "320x180", "--duration",
            "0.5", "--search", "2", "--dissolve", "0.1", "-o", output.path
        ).expectSuccess()
        let manifest = try json(folder.appending("atlas.json"))
        #expect(manifest["kind"] as? String == "playhead-atlas")
        #expect(manifest["frames"] as? Int == 15)
        let tiles = try #require(manifest["tiles"] as? [[String: Any]])
        #expect(tiles.count == 3)
        #expect(Set(tiles.compactMap { $0["name"] as? String }).count == 3)
        // Frame 3 of the atlas shows, in each tile, the third frame of its loop.
        let picture = folder.appending("frame.png")
        try Tool.run("snapshot", output.path, "--at", "3/30", "-o", picture.path).expectSuccess()
        let image = try TestImage(contentsOf: picture)
        #expect(image.width == manifest["width"] as? Int)
        for tile in tiles {
            let area = try #require(tile["area"] as? [String: Int])
            let loop = try #require(tile["loop"] as? [String: Any])
            let start = try #require(loop["start"] as? Int)
            var part = TestImage(
                width: 320, height: 180, pixels: [UInt8](repeating: 0, count: 320 * 180 * 4))
            for y in 0..<180 {
                let from = ((area["y", default: 0] + y) * image.width + area["x", default: 0]) * 4
                part.pixels.replaceSubrange(
                    y * 320 * 4..<(y + 1) * 320 * 4, with: image.pixels[from..<from + 320 * 4])
            }
            #expect(part.frameNumber() == start + 3)
        }
        let info = try Tool.run("atlas", "info", output.path, "--json")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(info.standardOutput)) as? [String: Any])
        for tile in try #require(report["tiles"] as? [[String: Any]]) {
            #expect(tile["guard_error"] as? Double == 0)
            #expect((tile["contents_rect"] as? [Double])?.count == 4)
        }
    }

    @Test func `atlas info detects a video that does not match its manifest`() throws {
        let film = try Films.silent(seconds: 1)
        let output = folder.appending("atlas.mp4")
        try Tool.run(
            "atlas", "build", film, "--tile", "64x64", "--duration", "0.5", "--search", "1", "-o",
            output.path
        ).expectSuccess()
        try FileManager.default.removeItem(at: output)
        try FileManager.default.copyItem(at: URL(filePath: film), to: output)
        let result = try Tool.run("atlas", "info", output.path)
        #expect(result.status == 2)
        #expect(result.standardError.contains("its manifest says"))
    }

    @Test func `atlas build reports what it cannot build in one line`() throws {
        let film = try Films.silent(seconds: 1)
        try Tool.run("atlas", "build", film, "-o", "atlas.xyz").expectError(
            1, saying: ["atlas.xyz", ".mp4"])
        try Tool.run("atlas", "build", film, "--crf", "99", "-o", "a.mp4").expectError(
            1, saying: ["--crf 99"])
        try Tool.run(
            "atlas", "build", film, "--tile", "4090x4090", "-o", folder.appending("a.mp4").path
        ).expectError(2, saying: ["do not fit", "--tile"])
        try Tool.run("atlas", "build", "/nonexistent.mp4", "-o", folder.appending("a.mp4").path)
            .expectError(2, saying: ["/nonexistent.mp4"])
        try Tool.run("atlas", "info", film).expectError(2, saying: ["cannot be read"])
        // 37 frames, of which the video of 30 has one.
        try Tool.run(
            "atlas", "build", film, "--tile", "64x36", "--duration", "1.2333", "-o",
            folder.appending("a.mp4").path
        ).expectError(2, saying: ["37 frames", "--duration 1"])
    }

    @Test func `tiles have unique names even if their files have equal names`() throws {
        let film = try Films.silent(seconds: 1)
        var films: [String] = []
        for name in ["c-2.mp4", "x/c.mp4", "y/c.mp4"] {
            let place = folder.appending(name)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: place.path, withDestinationPath: film)
            films.append(place.path)
        }
        let output = folder.appending("atlas.mkv").path
        try Tool.run(
            ["atlas", "build"] + films + ["--tile", "64x36", "--duration", "0.5", "-o", output]
        ).expectSuccess()
        let tiles = try #require(
            try json(folder.appending("atlas.json"))["tiles"] as? [[String: Any]])
        #expect(tiles.compactMap { $0["name"] as? String } == ["c-2", "c", "c-3"])
    }
}

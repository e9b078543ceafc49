// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadAtlas
import PlayheadEditing
import PlayheadUI

/// `prove atlas`: videos in an atlas do not bleed into each other.
///
/// Two atlases are written that differ in every other tile: in one these tiles are grey, and in the
/// other they flicker between black and white, or show moving stripes or saturated noise. The tiles
/// in between are equal. They are drawn from both atlases, at six sizes and rotated, and compared:
/// any difference has bled over from the neighbours.
///
/// With lossless coding, the tiles in between can show anything. A lossy encoder decides for each
/// atlas separately what to discard, so there the tiles in between have one colour or a slow
/// gradient, which every decision preserves: any difference is bleed.
struct AtlasProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "atlas", abstract: "Bleed between videos in an atlas.")

    @Flag(help: "Checks fewer frames.")
    var short = false

    private static let columns = 5
    private static let rows = 3
    private static let size = (width: 160, height: 96)

    /// A way to store an atlas, and the bleed that it may show.
    private struct Storage {
        var name: String
        var codec: VideoCodecType
        var ending: String
        var rateFactor: Int?
        var limit: Int
        var isLossless: Bool { limit == 0 }
    }

    private static let storages = [
        Storage(name: "FFV1, R'G'B'", codec: .ffv1, ending: "mkv", limit: 0),
        Storage(
            name: "H.264 without loss, 4:2:0", codec: .h264, ending: "mp4", rateFactor: 0, limit: 0),
        Storage(name: "H.264 at CRF 20", codec: .h264, ending: "mp4", rateFactor: 20, limit: 2),
        Storage(name: "HEVC at CRF 20", codec: .hevc, ending: "mp4", rateFactor: 20, limit: 2),
    ]

    func run() throws {
        let folder = TemporaryFolder()
        var report = Report("atlas")
        let frameCount = short ? 12 : 60
        report.add(
            "subject",
            "every other tile of \(Self.columns) x \(Self.rows), of \(Self.size.width) x "
                + "\(Self.size.height) pixels, guard band 8, \(frameCount) frames, 7 sizes")
        let slices = try AtlasSlices(size: Self.size)
        for (index, storage) in Self.storages.enumerated() {
            Progress.show(storage.name)
            let atlas = try Self.atlas(guardBand: 8)
            let films = try [false, true].map { isBusy in
                let path = folder.appending("\(index)-\(isBusy).\(storage.ending)").path
                try Self.write(
                    atlas, isBusy: isBusy, isDetailed: storage.isLossless, frameCount, storage,
                    to: path)
                return path
            }
            let (worst, pixels) = try slices.difference(
                between: films, atlas, subjects: Self.subjects)
            report.add(storage.name, "worst bleed \(worst)/255 in \(pixels) pixels drawn")
            report.require(
                worst <= storage.limit, "\(storage.name): \(worst)/255 instead of \(storage.limit)")
        }
        // For comparison, the same images edge to edge, without and with insets.
        let grid = TextureAtlas(
            columns: Self.columns, rows: Self.rows, width: Self.columns * Self.size.width,
            height: Self.rows * Self.size.height)
        var films: [String] = []
        for isBusy in [false, true] {
            let path = folder.appending("grid-\(isBusy).mp4").path
            try Self.write(
                grid, isBusy: isBusy, isDetailed: true, min(frameCount, 12), Self.storages[1],
                to: path)
            films.append(path)
        }
        let inset = try slices.difference(between: films, grid, subjects: Self.subjects)
        var cut = grid
        // A declared guard band that does not exist: tiles are shown up to their edges.
        cut.guardBand = 8
        let bare = try slices.difference(between: films, cut, subjects: Self.subjects)
        report.add("without guard bands, insets", "worst bleed \(inset.worst)/255")
        report.add("without either, for comparison", "worst bleed \(bare.worst)/255")
        report.require(inset.worst == 0, "insets let \(inset.worst)/255 through")
        report.require(bare.worst > 20, "existing bleed is not detected")
        try report.finish()
    }

    /// The tiles that are equal in both atlases.
    private static let subjects = (0..<columns * rows).filter {
        ($0 % columns + $0 / columns) % 2 == 0
    }

    private static func atlas(guardBand: Int) throws -> TextureAtlas {
        let count = columns * rows
        guard
            let layout = AtlasLayout(
                sizes: Array(repeating: (size.width, size.height), count: count),
                guardBand: guardBand)
        else { throw CannotProve("atlas: the tiles do not fit") }
        return TextureAtlas(
            film: "", width: layout.width, height: layout.height, frameCount: 0, frameRate: 30,
            guardBand: guardBand,
            tiles: (0..<count).map {
                TextureAtlas.Tile(name: "\($0)", area: layout.areas[$0], cell: layout.cells[$0])
            })
    }

    private static func write(
        _ atlas: TextureAtlas, isBusy: Bool, isDetailed: Bool, _ frameCount: Int,
        _ storage: Storage, to path: String
    ) throws {
        let period = MediaTime(value: 1, timescale: 30)
        var settings = VideoOutputSettings(
            codec: storage.codec, width: atlas.width, height: atlas.height, frameDuration: period)
        settings.rateFactor = storage.rateFactor
        settings.codesPartsAlike = true
        let writer = try AssetWriter(path: path)
        let input = AssetWriterInput(video: settings)
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        var canvas = AtlasCanvas(width: atlas.width, height: atlas.height)
        for frame in 0..<frameCount {
            for (index, tile) in atlas.tiles.enumerated() {
                let image =
                    subjects.contains(index)
                    ? (isDetailed
                        ? AtlasPictures.detail(size, index, frame)
                        : AtlasPictures.calm(size, index))
                    : isBusy
                        ? AtlasPictures.busy(size, index, frame)
                        : AtlasPictures.plain(size, SIMD3(128, 128, 128))
                canvas.place(image, in: tile)
            }
            try input.appendAndWait(
                PixelBuffer(canvas.image), at: MediaTime(value: Int64(frame), timescale: 30),
                duration: period)
        }
        try writer.finishWritingAndWait()
    }
}

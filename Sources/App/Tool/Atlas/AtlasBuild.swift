// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadAtlas
import PlayheadEditing
import PlayheadUI

/// Builds an atlas: finds loops in videos, arranges them as tiles, and writes the video and the
/// manifest.
struct AtlasBuild {
    var tile: SizeArgument
    var guardBand: Int
    /// The duration of the loops, in seconds.
    var duration: Double
    var fps: Double?
    /// The duration of the part of each video that is searched for a loop, in seconds.
    var search: Double
    /// The duration of a dissolve, in seconds.
    var dissolve: Double
    var codec: VideoCodecType
    var rateFactor: Int

    /// Returns the path of the manifest: the path of the video with the extension `json`.
    static func manifestPath(of file: String) -> String {
        let url = URL(fileURLWithPath: file)
        if url.pathExtension.lowercased() == "json" { return file }
        return url.deletingPathExtension().appendingPathExtension("json").path
    }

    func run(_ clips: [String], into output: String) throws -> TextureAtlas {
        Interruption.watch()
        let names = Self.names(clips)
        guard
            let layout = AtlasLayout(
                sizes: clips.map { _ in (tile.width, tile.height) }, guardBand: guardBand)
        else {
            throw MediaError(
                .limitExceeded, subject: output,
                cause: "\(clips.count) tiles of \(tile.width) x \(tile.height) do not fit into "
                    + "\(AtlasLayout.largestSide) x \(AtlasLayout.largestSide) pixels",
                remedy: "use a smaller --tile, or several atlases")
        }
        let painter = try AtlasTilePainter(width: tile.width, height: tile.height)
        let rate = try fps ?? Self.rate(of: clips[0])
        let frameCount = max(1, Int((duration * rate).rounded()))
        var loops: [LoopPoint?] = []
        for clip in clips {
            loops.append(try loop(of: clip, painter, rate: rate, length: frameCount))
        }
        let tiles = clips.indices.map {
            TextureAtlas.Tile(
                name: names[$0], area: layout.areas[$0], cell: layout.cells[$0], loop: loops[$0])
        }
        let atlas = TextureAtlas(
            film: URL(fileURLWithPath: output).lastPathComponent, width: layout.width,
            height: layout.height, frameCount: frameCount, frameRate: rate, guardBand: guardBand,
            tiles: tiles)
        try write(atlas, of: clips, painter, into: output)
        try OutputFile.write(
            String(decoding: atlas.json, as: UTF8.self) + "\n", to: Self.manifestPath(of: output))
        return atlas
    }

    /// Reads a video once, and returns the range that makes the best loop.
    private func loop(
        of clip: String, _ painter: AtlasTilePainter, rate: Double, length: Int
    ) throws -> LoopPoint? {
        let frames = try AtlasClip(clip, rate: rate, painter: painter)
        var search = LoopSearch()
        let limit = Int((self.search * rate).rounded(.up))
        let progress = RenderProgress(length: .invalid)
        while search.frameCount < limit, let image = try frames.image(at: search.frameCount) {
            search.append(image)
            try checkInterruption(of: clip)
            progress.show(search.frameCount, at: .zero)
        }
        progress.end()
        guard search.frameCount > 0 else {
            throw MediaError(
                .noPlayableTracks, subject: clip, cause: "the file has no video",
                remedy: "remove the file from the command")
        }
        let loop = search.best(length: length, dissolve: Int((dissolve * rate).rounded()))
        if loop == nil, search.frameCount > 1 {
            let count = search.frameCount
            let fitting = max(1, (Double(length) / Double(count)).rounded()) * Double(count)
            throw MediaError(
                .limitExceeded, subject: clip,
                cause: "the video has \(count) frames, and the loop needs \(length) frames",
                remedy: String(format: "use --duration %.6g", fitting / rate))
        }
        return loop
    }

    private func write(
        _ atlas: TextureAtlas, of clips: [String], _ painter: AtlasTilePainter, into output: String
    ) throws {
        let period = MediaTime(value: 1000, timescale: Int32((atlas.frameRate * 1000).rounded()))
        var settings = VideoOutputSettings(
            codec: codec, width: atlas.width, height: atlas.height,
            sampleFormat: codec.drawnSampleFormat, frameDuration: period)
        settings.mediaTimeScale = period.timescale
        settings.rateFactor = rateFactor
        settings.codesPartsAlike = true
        let writer = try AssetWriter(path: output)
        writer.replacesExistingFile = true
        let input = AssetWriterInput(video: settings)
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        let sources = try zip(clips, atlas.tiles).map { clip, tile in
            AtlasLoop(
                tile.loop,
                main: try AtlasClip(clip, rate: atlas.frameRate, painter: painter),
                other: tile.loop?.dissolve ?? 0 > 0
                    ? try AtlasClip(clip, rate: atlas.frameRate, painter: painter) : nil)
        }
        let progress = RenderProgress(
            length: MediaTime(
                value: period.value * Int64(atlas.frameCount), timescale: period.timescale))
        var canvas = AtlasCanvas(width: atlas.width, height: atlas.height)
        for index in 0..<atlas.frameCount {
            for (source, tile) in zip(sources, atlas.tiles) {
                canvas.place(try source.image(at: index), in: tile)
            }
            let time = MediaTime(
                value: period.value * Int64(index), timescale: period.timescale)
            try input.appendAndWait(PixelBuffer(canvas.image), at: time, duration: period)
            try checkInterruption(of: output)
            progress.show(index + 1, at: time)
        }
        try writer.finishWritingAndWait()
        progress.end()
    }

    /// Throws an error after an interruption, because a partial loop is useless.
    private func checkInterruption(of file: String) throws {
        if Interruption.isRequested { throw ToolError(.mediaFailure, "\(file): interrupted") }
    }

    /// Returns the names of the tiles: the names of the files, with numbers where names are equal.
    private static func names(_ clips: [String]) -> [String] {
        let own = clips.map {
            URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent
        }
        var used: Set<String> = []
        return own.map { name in
            // This skips numbers that would give the name of another file.
            let others = own.contains(name) ? Set(own).subtracting([name]) : []
            var (unused, count) = (name, 1)
            while used.contains(unused) || others.contains(unused) {
                count += 1
                unused = "\(name)-\(count)"
            }
            used.insert(unused)
            return unused
        }
    }

    private static func rate(of clip: String) throws -> Double {
        let description = try AssetReader(asset: InputFile.asset(clip)).description
        let rate = description.preferredTrack(of: .video)?.nominalFrameRate ?? 0
        return (1...240).contains(rate) ? rate : 30
    }
}

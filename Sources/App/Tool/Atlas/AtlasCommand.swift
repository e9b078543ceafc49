// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadAtlas
import PlayheadEditing
import PlayheadUI

/// `playhead atlas …`: atlases of looping videos.
struct AtlasCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "atlas", abstract: "Build and check atlases of looping videos.",
        subcommands: [Build.self, Info.self])

    struct Build: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "build", abstract: "Pack loops from several videos into one video.",
            discussion: """
                Each video becomes a tile at a multiple of 16 pixels. A guard band repeats the \
                edges of the tile, so that neighbouring tiles do not bleed into it when scaled. \
                The part of the video whose end best matches its start is used; if none matches, \
                the end dissolves into the start. \
                A manifest, OUT.json, lists the tiles.

                EXAMPLES:
                  playhead atlas build one.mp4 two.mp4 three.webm -o atlas.mp4
                  playhead atlas build *.mp4 --tile 256x144 --duration 6 --fps 30 -o atlas.mp4
                  playhead atlas info atlas.mp4
                """)

        @Argument(
            help: "Videos: paths or URLs. Each tile is named after its file.", completion: .file())
        var clips: [String]

        @Option(
            help: ArgumentHelp(
                "Size of each tile, 256x256 by default; videos are cropped to its aspect ratio.",
                valueName: "WxH"),
            transform: SizeArgument.init(argument:))
        var tile = SizeArgument(width: 256, height: 256)

        @Option(
            name: .customLong("guard"), help: "Width of the guard band around each tile, in pixels."
        )
        var guardBand = 8

        @Option(help: "Duration of the loop, in seconds.")
        var duration = 4.0

        @Option(help: "Frame rate; that of the first video by default.")
        var fps: Double?

        @Option(
            help:
                "Seconds of each video to search for a loop; 30 or --duration by default."
        )
        var search: Double?

        @Option(
            help: "Duration of the dissolve of videos that do not loop, in seconds; 0 for none.")
        var dissolve = 0.5

        @Option(
            help: "Codec: h264, hevc, ffv1 or vp9; inferred from the file extension by default.",
            completion: .list(["h264", "hevc", "ffv1", "vp9"]))
        var codec: String?

        @Option(help: "Constant rate factor of the encoder, from 0 to 51; lower is better.")
        var crf = 20

        @Option(
            name: .shortAndLong, help: "Output file: .mp4, .mov, .mkv or .webm.",
            completion: .file())
        var output: String

        func validate() throws {
            if clips.isEmpty {
                throw ValidationError("atlas build: no input; name at least one video")
            }
            if clips.contains(where: { !InputFile.opensAgain($0) && $0 == "-" }) {
                throw ValidationError(
                    "-: standard input can be read only once, and an atlas reads its inputs "
                        + "several times; name files")
            }
            if !(0...64).contains(guardBand) {
                throw ValidationError("--guard \(guardBand): expected 0 to 64 pixels")
            }
            if !(duration > 0 && duration <= 600) {
                throw ValidationError(
                    "--duration \(duration): expected more than 0 and at most 600 seconds")
            }
            if let search, !(search >= duration && search <= 3600) {
                throw ValidationError(
                    "--search \(search): expected at least --duration and at most 3600 seconds")
            }
            if !(0...10).contains(dissolve) {
                throw ValidationError("--dissolve \(dissolve): expected 0 to 10 seconds")
            }
            if let fps, !(fps >= 1 && fps <= 240) {
                throw ValidationError("--fps \(fps): expected a rate from 1 to 240")
            }
            if !(0...51).contains(crf) { throw ValidationError("--crf \(crf): expected 0 to 51") }
            if let codec, VideoCodecType(rawValue: codec) == nil {
                throw ValidationError(
                    "--codec \(codec): expected "
                        + VideoCodecType.allCases.map(\.rawValue).joined(separator: ", "))
            }
        }

        func run() throws {
            let (codec, _) = try VideoCodecType.chosen(
                codec, for: output, endings: ".mp4, .mov, .mkv or .webm")
            try OutputFile.check(output, isReplaced: true, inputs: clips)
            try OutputFile.check(
                AtlasBuild.manifestPath(of: output), isReplaced: true, inputs: clips)
            let build = AtlasBuild(
                tile: tile, guardBand: guardBand, duration: duration, fps: fps,
                search: search ?? max(30, duration),
                dissolve: dissolve, codec: codec, rateFactor: crf)
            let atlas = try build.run(clips, into: output)
            for line in AtlasReport(atlas: atlas).lines { Console.print(line) }
        }
    }

    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "Show the contents of an atlas and check it.",
            discussion: """
                Compares the video with its manifest: size, length, guard bands, and the seam of \
                each loop. The exit status is 2 if a check fails.
                """)

        @Argument(
            help: "The video, with its manifest beside it, or the manifest.", completion: .file())
        var file: String

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let manifest = AtlasBuild.manifestPath(of: file)
            let atlas = try TextureAtlas(contentsOf: manifest)
            let film = URL(fileURLWithPath: manifest).deletingLastPathComponent()
                .appendingPathComponent(atlas.film).path
            var report = AtlasReport(atlas: atlas)
            try report.check(film)
            if json {
                Console.print(try Console.json(report, pretty: true))
            } else {
                for line in report.lines { Console.print(line) }
            }
            if let shortfall = report.shortfalls.first {
                throw ToolError(.mediaFailure, "\(film): \(shortfall)")
            }
        }
    }
}

extension SizeArgument {
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

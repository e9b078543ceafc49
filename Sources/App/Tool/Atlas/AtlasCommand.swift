// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadAtlas
import PlayheadUI

/// `playhead atlas …`: one film that holds a grid of films.
struct AtlasCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "atlas", abstract: "Makes and checks a film that holds a grid of films.",
        subcommands: [Build.self, Info.self])

    struct Build: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "build", abstract: "Packs films into one, as loops.",
            discussion: """
                Each film becomes a tile, at multiples of 16 pixels, its edges going on around it, \
                so that nothing of its neighbours shows at any size. Of each the part is taken \
                whose end agrees best with its beginning; where none does, the end is dissolved. \
                The film is written with a manifest beside it, OUT.json, that says where everything \
                is.

                EXAMPLES:
                  playhead atlas build one.mp4 two.mp4 three.webm -o atlas.mp4
                  playhead atlas build *.mp4 --tile 256x144 --duration 6 --fps 30 -o atlas.mp4
                  playhead atlas info atlas.mp4
                """)

        @Argument(
            help: "Films: paths or URLs. A tile is named after its file.", completion: .file())
        var clips: [String]

        @Option(
            help: ArgumentHelp(
                "Size of each tile, 256x256 if not given; films are cut to its shape.",
                valueName: "WxH"),
            transform: SizeArgument.init(argument:))
        var tile = SizeArgument(width: 256, height: 256)

        @Option(name: .customLong("guard"), help: "Pixels around each tile that repeat its edges.")
        var guardBand = 8

        @Option(help: "Seconds until all of it begins again.")
        var duration = 4.0

        @Option(help: "Frames a second; those of the first film if not given.")
        var fps: Double?

        @Option(
            help:
                "Seconds of each film in which a loop is looked for; 30, or --duration, if not given."
        )
        var search: Double?

        @Option(
            help: "Seconds over which the end is dissolved where films do not loop; 0 for none.")
        var dissolve = 0.5

        @Option(
            help: "How it is stored: h264, hevc, ffv1 or vp9; told by the ending if not given.",
            completion: .list(["h264", "hevc", "ffv1", "vp9"]))
        var codec: String?

        @Option(help: "Constant rate factor of the encoder: less is better.")
        var crf = 20

        @Option(
            name: .shortAndLong, help: "Where to write: .mp4, .mov, .mkv or .webm.",
            completion: .file())
        var output: String

        func validate() throws {
            if clips.isEmpty { throw ValidationError("atlas build: give it films") }
            if clips.contains(where: { !InputFile.opensAgain($0) && $0 == "-" }) {
                throw ValidationError(
                    "-: films of an atlas are read again and again; give it files")
            }
            if !(0...64).contains(guardBand) {
                throw ValidationError("--guard \(guardBand): use 0 to 64 pixels")
            }
            if !(duration > 0 && duration <= 600) {
                throw ValidationError("--duration \(duration): use up to 600 seconds")
            }
            if let search, !(search >= duration && search <= 3600) {
                throw ValidationError("--search \(search): use --duration to 3600 seconds")
            }
            if !(0...10).contains(dissolve) {
                throw ValidationError("--dissolve \(dissolve): use 0 to 10 seconds")
            }
            if let fps, !(fps >= 1 && fps <= 240) {
                throw ValidationError("--fps \(fps): use a rate from 1 to 240")
            }
            if !(0...51).contains(crf) { throw ValidationError("--crf \(crf): use 0 to 51") }
            if let codec, MovieCodec(rawValue: codec) == nil {
                throw ValidationError(
                    "--codec \(codec): use "
                        + MovieCodec.allCases.map(\.rawValue).joined(separator: ", "))
            }
        }

        func run() throws {
            let codec = try MovieCodec.chosen(
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
            commandName: "info", abstract: "Tells what is in an atlas, and checks it.",
            discussion: """
                Holds the film to its manifest: its size and length, the guard bands in its \
                pictures, and whether each loop's first and last frames agree. Ends in status 2 \
                where something does not hold.
                """)

        @Argument(
            help: "The film, with its manifest beside it, or the manifest.", completion: .file())
        var file: String

        @Flag(help: "Write JSON.")
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

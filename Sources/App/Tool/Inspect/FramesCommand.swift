// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `playhead frames FILE`: one JSON line a frame.
struct FramesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames", abstract: "Lists every frame of a film, one JSON line each.",
        discussion: """
            Times are seconds, and exact rationals beside them: `time` from the film's beginning, as \
            all commands take it, and `pts` as the file gives it. The two differ in what was cut from \
            a broadcast, where `inspect` tells by how much.

            EXAMPLES:
              playhead frames film.mp4 | wc -l
              playhead frames film.mp4 --from 10 --to 10.5
              playhead frames film.mp4 --hash > film.frames
            """)

    @Argument(help: "A film: a path, a URL, or - for standard input.", completion: .file())
    var file: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Begin with the first frame that begins at this time, such as 12.5 or 1:02:03, or later.",
            valueName: "time"),
        transform: TimeArgument.init(argument:))
    var from: TimeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End before this time.", valueName: "time"),
        transform: TimeArgument.init(argument:))
    var to: TimeArgument?

    @Flag(help: "Add the sha256 of each picture, rendered to RGBA at the film's own size.")
    var hash = false

    @Option(help: "Hardware that decodes: auto, none, vaapi or cuda.")
    var hwaccel = HardwareAcceleration.none

    func validate() throws {
        if let from, let to, from.time >= to.time {
            throw ValidationError("--to: has to be after --from")
        }
    }

    func run() throws {
        let options = AssetOptions(hardwareAcceleration: hwaccel)
        let reader = try AssetReader(
            asset: InputFile.asset(file, options: options), timeRange: timeRange)
        let painter = hash ? try StillPainter() : nil
        let pictures = try reader.addVideoOutput()
        let offset = reader.description.timestampOffset
        var index = 0
        while let frame = try pictures.copyNextSampleBuffer() {
            let line = FrameLine(
                index: index, frame: frame, offset: offset,
                sha256: try painter?.image(of: frame.pixelBuffer).sha256)
            Console.print(try Console.json(line))
            index += 1
        }
        if let remark = Console.shortfall(of: file, reader.description) { Console.note(remark) }
        if pictures.decodeErrorCount > 0 {
            Console.note(
                Console.damage(
                    in: file, count: pictures.decodeErrorCount, last: pictures.lastDecodeError))
        }
    }
}

extension FramesCommand {
    /// What `--from` and `--to` select; nil for everything.
    private var timeRange: MediaTimeRange? {
        guard from != nil || to != nil else { return nil }
        let start = from?.time ?? .zero
        return MediaTimeRange(
            start: start, duration: to.map { $0.time - start } ?? .positiveInfinity)
    }
}

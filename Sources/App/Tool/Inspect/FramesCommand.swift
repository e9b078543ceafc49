// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `playhead frames FILE`: prints a line of JSON for each frame.
struct FramesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames", abstract: "List every frame as a line of JSON.",
        discussion: """
            Times are in seconds and as exact rationals: `time` counts from the start, as in all \
            commands, and `pts` is the timestamp in the file. `inspect` reports their offset.

            EXAMPLES:
              playhead frames film.mp4 | wc -l
              playhead frames film.mp4 --from 10 --to 10.5
              playhead frames film.mp4 --hash > film.frames
            """)

    @Argument(help: "Input: a path, a URL, or - for standard input.", completion: .file())
    var file: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start with the first frame at or after this time, such as 12.5 or 1:02:03.",
            valueName: "time"),
        transform: TimeArgument.init(argument:))
    var from: TimeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Stop before this time.", valueName: "time"),
        transform: TimeArgument.init(argument:))
    var to: TimeArgument?

    @Flag(help: "Add the SHA-256 of each frame, rendered to RGBA at its display size.")
    var hash = false

    @OptionGroup(title: "Timelines") var timelines: TimelineInputOptions

    @Option(help: "Hardware decoder: auto, none, vaapi or cuda.")
    var hwaccel = HardwareAcceleration.none

    func validate() throws {
        if let from, let to, from.time >= to.time {
            throw ValidationError("--to: expected a time after --from")
        }
    }

    func run() throws {
        let options = AssetOptions(hardwareAcceleration: hwaccel)
        let reader = try AssetReader(
            asset: InputFile.asset(file, options: options, timeline: timelines.options),
            timeRange: timeRange)
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
        if index == 0, let from, pictures.decodeErrorCount == 0 {
            throw MediaError(
                .noSuchFrame, subject: InputFile.name(file),
                cause: "no frame begins at \(from.time.clockDescription) or later"
                    + (to.map { " and before \($0.time.clockDescription)" } ?? ""),
                remedy: "choose an earlier --from")
        }
        if index == 0 { throw nothing(in: reader.description, last: pictures.lastDecodeError) }
        if let remark = Console.shortfall(of: InputFile.name(file), reader.description) {
            Console.note(remark)
        }
        if pictures.decodeErrorCount > 0 {
            Console.note(
                Console.damage(
                    in: InputFile.name(file), count: pictures.decodeErrorCount,
                    last: pictures.lastDecodeError))
        }
    }
}

extension FramesCommand {
    /// Returns the error for a video without any frame.
    private func nothing(in description: AssetDescription, last: MediaError?) -> MediaError {
        if let last { return last.withNothingDecoded }
        let missing = description.missingByteCount
        return MediaError(
            .noSuchFrame, subject: InputFile.name(file),
            cause: "its video has no frames"
                + (missing > 0 ? ", and \(missing) bytes are missing at its end" : ""),
            remedy: missing > 0
                ? "copy or download it again"
                : "check that it is complete, and not only the header of a stream")
    }

    /// The range from `--from` to `--to`; nil for all frames.
    private var timeRange: MediaTimeRange? {
        guard from != nil || to != nil else { return nil }
        let start = from?.time ?? .zero
        return MediaTimeRange(
            start: start, duration: to.map { $0.time - start } ?? .positiveInfinity)
    }
}

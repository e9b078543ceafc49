// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadEditing
import PlayheadUI

/// `playhead cut FILE[A-B] ... -o OUT`: joins parts of files.
struct CutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cut", abstract: "Join parts of files, exactly.",
        discussion: """
            Each part is a file and a range of it in brackets, without either time for the start \
            or the end of the file. Cuts are exact: the part begins with the frame on display at \
            its start, and audio is cut to the sample. Quote the argument: brackets are special \
            to shells. The frame size is that of the first part. The file extension selects the \
            codec, as in render. With a timeline as output (.otio), the parts are written as one \
            and no media is rendered.

            EXAMPLES:
              playhead cut 'a.mp4[10-20]' 'b.mp4[0:05-0:07.5]' -o out.mp4
              playhead cut 'film.mp4[-1:00]' 'film.mp4[1:30-]' -o shorter.mp4
              playhead cut 'a.mp4[10-20]' b.mp4 -o cut.otio
            """)

    @Argument(
        help: ArgumentHelp("Files, each with a part such as [10-20].", valueName: "file[a-b]"),
        completion: .file(), transform: CutPiece.init(argument:))
    var pieces: [CutPiece]

    @Option(help: "Frame rate; by default every frame of the parts, at its own time.")
    var fps: Double?

    @Option(
        help: ArgumentHelp(
            "Size of the frame; that of the first part by default.", valueName: "WxH"),
        transform: SizeArgument.init(argument:))
    var size: SizeArgument?

    @Flag(help: "Omit audio.")
    var mute = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Output file: .mp4, .mov, .mkv, .webm, .png, audio as .wav, .flac, .m4a or .opus, or a "
                + "timeline as .otio."),
        completion: .file())
    var output: String

    func run() throws {
        let files = pieces.map(\.file)
        let composition = try compose()
        let asset = composition.makeAsset()
        let ending = (output as NSString).pathExtension.lowercased()
        if ending == "otio" {
            try OutputFile.check(output, isReplaced: true, inputs: files)
            let name = ((output as NSString).lastPathComponent as NSString).deletingPathExtension
            try OutputFile.write(composition.openTimelineIO(name: name), to: output)
            return
        }
        if let codec = AudioCodec(pathExtension: ending) {
            try OutputFile.checkMovie(output)
            try OutputFile.check(output, isReplaced: true, inputs: files)
            let run = try AudioRenderRun(files[0], from: nil, to: nil, audioTrack: nil) { _ in
                asset
            }
            return try run.render(into: AudioFileSink(output, codec: codec))
        }
        let sink: any RenderSink
        if ending == "png" {
            sink = try ImageSequenceSink(output, inputs: files)
        } else {
            let codec = try MovieCodec.chosen(
                nil, for: output, endings: ".mp4, .mov, .mkv, .webm, .png, .otio or audio")
            try OutputFile.check(output, isReplaced: true, inputs: files)
            sink = MovieSink(output, codec: codec)
        }
        let run = try RenderRun(
            files[0], effects: [], from: nil, to: nil, fps: fps, size: size,
            background: sink.hasAlpha ? .none : .black, withSound: !mute
        ) { _ in asset }
        try run.render(into: sink)
    }

    private func compose() throws -> Composition {
        let composition = MutableComposition()
        var assets: [String: (asset: Asset, description: AssetDescription)] = [:]
        for piece in pieces {
            let (asset, description): (Asset, AssetDescription)
            if let known = assets[piece.file] {
                (asset, description) = known
            } else {
                // If a file does not exist, opening it reports that.
                let isMissing =
                    !InputFile.isStandardInput(piece.file)
                    && !FileManager.default.fileExists(atPath: piece.file)
                guard isMissing || InputFile.opensAgain(piece.file) else {
                    throw ToolError(
                        .wrongUsage,
                        "\(piece.file): cutting reads parts in any order, and a pipe can be read "
                            + "only once; save it to a file")
                }
                asset = InputFile.asset(piece.file)
                description = try AssetReader(asset: asset).description
                assets[piece.file] = (asset, description)
            }
            let start = piece.start ?? description.startTime
            let end = piece.end ?? description.end
            guard end.isNumeric, start < end, start < description.end else {
                throw ToolError(
                    .wrongUsage,
                    "\(piece.file): expected a part between "
                        + "\(description.startTime.clockDescription) and "
                        + "\(description.end.clockDescription), found "
                        + "\(start.clockDescription) to \(end.clockDescription)")
            }
            let range = MediaTimeRange(start: start, end: min(end, description.end))
            do {
                try composition.insertTimeRange(
                    range, of: asset, describedBy: description, at: .invalid)
            } catch {
                throw ToolError(.mediaFailure, "\(error)")
            }
        }
        return composition
    }
}

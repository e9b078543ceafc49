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
            Each part is a file, followed by a range in brackets. A time that is left out of the \
            range is the start or the end of the file. Quote the argument, because brackets are \
            special to shells. Cuts are exact: the part begins with the frame on display at its \
            start, and audio is cut to the sample. The frame size is that of the first part. The \
            file extension selects the codec, as in render. If the output is a timeline (.otio), \
            it refers to the parts, and no media is rendered.

            With --keyframes, samples are copied without encoding: each part begins with the \
            keyframe at or before its start, and ends at the keyframe at or after its end. These \
            times are printed. All parts must have the same format.

            EXAMPLES:
              playhead cut 'a.mp4[10-20]' 'b.mp4[0:05-0:07.5]' -o out.mp4
              playhead cut 'film.mp4[-1:00]' 'film.mp4[1:30-]' -o shorter.mp4
              playhead cut 'a.mp4[10-20]' b.mp4 -o cut.otio
              playhead cut --keyframes 'film.mp4[10-20]' 'film.mp4[30-40]' -o parts.mp4
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

    @Flag(help: "Copy samples from keyframe to keyframe, without encoding.")
    var keyframes = false

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
        if keyframes { return try copy(files) }
        let composition = try InputComposition.make(pieces)
        let asset = composition.makeAsset()
        let ending = (output as NSString).pathExtension.lowercased()
        if ending == "otio" {
            try OutputFile.check(output, isReplaced: true, inputs: files)
            let name = ((output as NSString).lastPathComponent as NSString).deletingPathExtension
            try OutputFile.write(composition.openTimelineIO(name: name), to: output)
            return
        }
        if let type = AudioFileSink.fileType(of: output) {
            try OutputFile.checkMovie(output)
            try OutputFile.check(output, isReplaced: true, inputs: files)
            let run = try AudioRenderRun(files[0], from: nil, to: nil, audioTrack: nil) { _ in
                asset
            }
            return try run.render(into: AudioFileSink(output, type: type))
        }
        let sink: any RenderSink
        if ending == "png" {
            sink = try ImageSequenceSink(output, inputs: files)
        } else {
            let (codec, type) = try VideoCodecType.chosen(
                nil, for: output, endings: ".mp4, .mov, .mkv, .webm, .png, .otio or audio")
            try OutputFile.check(output, isReplaced: true, inputs: files)
            sink = MovieSink(output, settings: .init(codec: codec, fileType: type))
        }
        let run = try RenderRun(
            files[0], effects: [], from: nil, to: nil, fps: fps, size: size,
            background: sink.hasAlpha ? .none : .black, withSound: !mute
        ) { _ in asset }
        try run.render(into: sink)
    }

    /// Copies the parts between keyframes, and prints the times at which they were cut.
    private func copy(_ files: [String]) throws {
        if let name = fps != nil ? "--fps" : size != nil ? "--size" : nil {
            throw ToolError(
                .wrongUsage,
                "--keyframes copies samples unchanged, so it cannot be combined with \(name); "
                    + "remove \(name)")
        }
        try OutputFile.checkMovie(output)
        try OutputFile.check(output, isReplaced: true, inputs: files)
        let parts = try pieces.map { piece in
            let asset = InputFile.asset(piece.file)
            guard piece.start != nil || piece.end != nil else {
                return KeyframeJoin.Part(asset: asset, range: nil)
            }
            let start = piece.start ?? .zero
            let end = piece.end ?? .positiveInfinity
            let last = try AssetReader(asset: asset).description.end
            guard !last.isNumeric || start < last else {
                throw ToolError(
                    .wrongUsage,
                    "\(piece.file): the part starts at \(start.clockDescription), but the file "
                        + "ends at \(last.clockDescription); use an earlier start")
            }
            return KeyframeJoin.Part(
                asset: asset, range: MediaTimeRange(start: start, duration: end - start))
        }
        var join = KeyframeJoin(engine: FFmpegWritingEngine(), cancellation: Cancellation())
        let copied = try join.write(parts, to: output, inputs: files, includesAudio: !mute)
        for (piece, range) in zip(pieces, copied) {
            let times = String(
                format: "%.6f to %.6f", range.start.seconds, range.end.seconds)
            Console.print("\(piece.file): \(times)")
        }
    }
}

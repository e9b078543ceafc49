// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `playhead render FILE -o OUT`: a film, through effects, into a file.
struct RenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Writes a film, through effects, into a file.",
        discussion: """
            Every frame of the film, at its own time, by the renderer that plays it, as fast as it \
            goes; sound is carried over, mixed into two channels unless it has one, or six (5.1). The ending says how it is stored: .mp4 H.264, .mov ProRes \
            4444 with alpha, .mkv FFV1 without loss, .webm VP9 with alpha, .png a file a frame. \
            Interrupted (Ctrl-C, SIGTERM), it ends the file where it is: what is there plays.

            EXAMPLES:
              playhead render film.mp4 --effect exposure --set stops=1 -o brighter.mp4
              playhead render film.mp4 --from 10 --to 20 --size 640x360 -o part.mp4
              playhead render greenscreen.mp4 --effect chroma_key -o keyed.mov
              playhead render film.mp4 --fps 12 -o frame-%04d.png
            """)

    @Argument(help: "A film: a path, a URL, or - for standard input.", completion: .file())
    var file: String

    @OptionGroup(title: "Effects") var effects: EffectOptions

    @OptionGroup(title: "Subtitles") var subtitles: SubtitleOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Begin at this time, such as 12.5 or 1:02:03, with the picture on display there.",
            valueName: "time"),
        transform: TimeArgument.init(argument:))
    var from: TimeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End before this time.", valueName: "time"),
        transform: TimeArgument.init(argument:))
    var to: TimeArgument?

    @Option(help: "Frames a second; the film's own frames, at their own times, if not given.")
    var fps: Double?

    @Option(
        help: ArgumentHelp("Size of the picture; the film's own if not given.", valueName: "WxH"),
        transform: SizeArgument.init(argument:))
    var size: SizeArgument?

    @Option(
        help: "How it is stored: h264, hevc, ffv1, vp9 or prores; told by the ending if not given.",
        completion: .list(MovieCodec.allCases.map(\.rawValue)))
    var codec: String?

    @Option(
        help: "What is seen through the film where an effect lets it: none, black, checkerboard.")
    var background: BackgroundArgument?

    @Flag(help: "Store colours multiplied by alpha, as some compositors want them.")
    var premultiplied = false

    @Flag(help: "Leave sound out.")
    var mute = false

    @Option(help: "Audio track, counted from 0; the one that is played if not given.")
    var audioTrack: Int?

    @Option(
        name: .shortAndLong, help: "Where to write: .mp4, .mov, .mkv, .webm, or .png.",
        completion: .file())
    var output: String

    func validate() throws {
        if let fps, !(fps >= 0.1 && fps <= 1000) {
            throw ValidationError("--fps \(fps): use a rate from 0.1 to 1000")
        }
        if let codec, MovieCodec(rawValue: codec) == nil {
            throw ValidationError(
                "--codec \(codec): use "
                    + MovieCodec.allCases.map(\.rawValue).joined(separator: ", "))
        }
        if let audioTrack, audioTrack < 0 {
            throw ValidationError("--audio-track \(audioTrack): tracks count from 0")
        }
        if let from, let to, from.time >= to.time {
            throw ValidationError("--to: has to be after --from")
        }
    }

    func run() throws {
        let instances = try effects.load()
        let inputs = [file] + subtitles.files
        let sink: any RenderSink
        if output.lowercased().hasSuffix(".png") {
            sink = try PictureSequence(output, inputs: inputs)
        } else {
            let codec = try MovieCodec.chosen(
                codec, for: output, endings: ".mp4, .mov, .mkv, .webm or .png")
            try OutputFile.check(output, isReplaced: true, inputs: inputs)
            sink = MovieSink(output, codec: codec)
        }
        let run = try RenderRun(
            file, effects: instances, from: from?.time, to: to?.time, fps: fps, size: size,
            background: background ?? (sink.hasAlpha ? .none : .black), withSound: !mute,
            audioTrack: audioTrack, isPremultiplied: premultiplied,
            subtitles: try subtitles.stills(of: file))
        try run.render(into: sink)
    }
}

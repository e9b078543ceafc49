// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `playhead render FILE -o OUT`: renders media with effects to a file.
struct RenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Render media with effects to a file.",
        discussion: """
            Renders every frame at its own time, as fast as possible, as playback would show it. \
            Mono, stereo, 5.1 and 7.1 audio keeps its channels; other layouts are downmixed to \
            stereo. The file extension selects the codec: .mp4 is H.264, .mov ProRes 4444 with \
            alpha, .mkv lossless FFV1, .webm VP9 with alpha, .png one file per frame; .wav, .flac, \
            .m4a and .opus hold audio only. An interruption (Ctrl-C, SIGTERM) completes the file \
            with the frames rendered so far.

            EXAMPLES:
              playhead render film.mp4 --effect exposure --set stops=1 -o brighter.mp4
              playhead render film.mp4 --from 10 --to 20 --size 640x360 -o part.mp4
              playhead render greenscreen.mp4 --effect chroma_key -o keyed.mov
              playhead render film.mp4 --fps 12 -o frame-%04d.png
            """)

    @Argument(help: "Input: a path, a URL, or - for standard input.", completion: .file())
    var file: String

    @OptionGroup(title: "Effects") var effects: EffectOptions

    @OptionGroup(title: "Subtitles") var subtitles: SubtitleOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start at this time, such as 12.5 or 1:02:03, with the frame shown there.",
            valueName: "time"),
        transform: TimeArgument.init(argument:))
    var from: TimeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Stop before this time.", valueName: "time"),
        transform: TimeArgument.init(argument:))
    var to: TimeArgument?

    @OptionGroup(title: "Timelines") var timelines: TimelineInputOptions

    @Option(help: "Frame rate; by default every frame of the input, at its own time.")
    var fps: Double?

    @Option(
        help: ArgumentHelp("Size of the frame; that of the input by default.", valueName: "WxH"),
        transform: SizeArgument.init(argument:))
    var size: SizeArgument?

    @Option(
        help:
            "Codec: h264, hevc, ffv1, vp9 or prores; inferred from the file extension by default.",
        completion: .list(MovieCodec.allCases.map(\.rawValue)))
    var codec: String?

    @Option(
        help: "Background of transparent areas: none, black or checkerboard.")
    var background: BackgroundArgument?

    @Flag(help: "Store premultiplied alpha.")
    var premultiplied = false

    @Flag(help: "Omit audio.")
    var mute = false

    @Option(help: "Audio track, counted from 0; the default track if omitted.")
    var audioTrack: Int?

    @Option(
        name: .shortAndLong,
        help: "Output file: .mp4, .mov, .mkv, .webm, .png, or audio as .wav, .flac, .m4a or .opus.",
        completion: .file())
    var output: String

    func validate() throws {
        if let fps, !(fps >= 0.1 && fps <= 1000) {
            throw ValidationError("--fps \(fps): expected a rate from 0.1 to 1000")
        }
        if let codec, MovieCodec(rawValue: codec) == nil {
            throw ValidationError(
                "--codec \(codec): expected "
                    + MovieCodec.allCases.map(\.rawValue).joined(separator: ", "))
        }
        if let audioTrack, audioTrack < 0 {
            throw ValidationError(
                "--audio-track \(audioTrack): expected a track number of at least 0")
        }
        if let from, let to, from.time >= to.time {
            throw ValidationError("--to: expected a time after --from")
        }
    }

    func run() throws {
        if let codec = AudioCodec(pathExtension: (output as NSString).pathExtension) {
            return try renderAudio(codec)
        }
        let instances = try effects.load()
        let inputs = [file] + subtitles.files
        let sink: any RenderSink
        if output.lowercased().hasSuffix(".png") {
            sink = try ImageSequenceSink(output, inputs: inputs)
        } else {
            let codec = try MovieCodec.chosen(
                codec, for: output,
                endings: ".mp4, .mov, .mkv, .webm, .png, .wav, .flac, .m4a or .opus")
            try OutputFile.check(output, isReplaced: true, inputs: inputs)
            sink = MovieSink(output, codec: codec)
        }
        let run = try RenderRun(
            file, effects: instances, from: from?.time, to: to?.time, fps: fps, size: size,
            background: background ?? (sink.hasAlpha ? .none : .black), withSound: !mute,
            audioTrack: audioTrack, isPremultiplied: premultiplied,
            subtitles: try subtitles.stills(of: file)
        ) { InputFile.asset(file, options: $0, timeline: timelines.options) }
        try run.render(into: sink)
    }

    private func renderAudio(_ codec: AudioCodec) throws {
        let unused = [
            ("--effect", !effects.names.isEmpty), ("--preset", effects.preset != nil),
            ("--set", !effects.values.assignments.isEmpty), ("--sub", !subtitles.files.isEmpty),
            ("--subtitle-track", subtitles.subtitleTrack != nil), ("--fps", fps != nil),
            ("--size", size != nil), ("--codec", self.codec != nil),
            ("--background", background != nil), ("--premultiplied", premultiplied),
            ("--mute", mute),
        ]
        if let (name, _) = unused.first(where: \.1) {
            throw ToolError(
                .wrongUsage,
                "\(name): .\((output as NSString).pathExtension) files hold audio only; "
                    + "remove the option, or use another extension")
        }
        try OutputFile.checkMovie(output)
        try OutputFile.check(output, isReplaced: true, inputs: [file])
        let run = try AudioRenderRun(
            file, from: from?.time, to: to?.time, audioTrack: audioTrack
        ) { InputFile.asset(file, options: $0, timeline: timelines.options) }
        try run.render(into: AudioFileSink(output, codec: codec))
    }
}

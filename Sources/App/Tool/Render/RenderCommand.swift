// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadEditing
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
            .m4a and .opus hold audio only. Several inputs follow one another; with --transition, \
            they overlap, and both play during the transition. Frames that need no drawing are \
            encoded as they were decoded, in their own colour space. Metadata, chapters and the \
            timecode are those of the input, and so are its text subtitles, unless subtitles are \
            drawn: they keep their form in .mkv, and become plain text in .mp4, .mov and .webm. \
            Subtitles that are bitmaps are left out. An interruption (Ctrl-C, SIGTERM) completes \
            the file with the frames rendered so far, unless --discard-partial is given.

            --preset takes an effect preset (.json), or the name of an encoder's preset such as \
            veryfast.

            EXAMPLES:
              playhead render film.mp4 --effect exposure --set stops=1 -o brighter.mp4
              playhead render film.mp4 --from 10 --to 20 --size 640x360 -o part.mp4
              playhead render greenscreen.mp4 --effect chroma_key -o keyed.mov
              playhead render film.mp4 --fps 12 -o frame-%04d.png
              playhead render film.mp4 --codec hevc --crf 22 --preset slow -o smaller.mp4
              playhead render intro.mp4 film.mp4 --bitrate 4M -o whole.mp4
              playhead render intro.mp4 film.mp4 --transition dissolve:0.5 -o whole.mp4
              playhead render film.mp4 --from 60 --no-reencode -o rest.mp4
            """)

    @Argument(
        help: ArgumentHelp(
            "Inputs: paths, URLs, or - for standard input. Several follow one another.",
            valueName: "file"), completion: .file())
    var files: [String]

    @OptionGroup(title: "Effects") var effects: EffectOptions

    @OptionGroup(title: "Transitions") var transition: TransitionOptions

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

    @OptionGroup(title: "Encoding") var encoding: EncodingOptions

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
        if let audioTrack, audioTrack < 0 {
            throw ValidationError(
                "--audio-track \(audioTrack): expected a track number of at least 0")
        }
        if let from, let to, from.time >= to.time {
            throw ValidationError("--to: expected a time after --from")
        }
        if transition.name != nil, files.count < 2 {
            throw ValidationError("--transition: expected several inputs, found one")
        }
    }

    /// A Boolean value that indicates whether `--preset` names a preset of an encoder rather than a
    /// file.
    private var namesEncoderPreset: Bool {
        guard let preset = effects.preset else { return false }
        return !preset.contains { $0 == "." || $0 == "/" }
            && !FileManager.default.fileExists(atPath: preset)
    }

    func run() throws {
        if encoding.noReencode { return try copy() }
        if let type = AudioFileSink.fileType(of: output) { return try renderAudio(type) }
        var effects = effects
        var encoderPreset: String?
        if namesEncoderPreset { swap(&encoderPreset, &effects.preset) }
        let inputs = files + subtitles.files
        guard !output.lowercased().hasSuffix(".png") else {
            try checkImages()
            return try render(
                into: ImageSequenceSink(output, inputs: inputs), with: effects.load())
        }
        let (codec, type) = try VideoCodecType.chosen(
            encoding.codec, for: output,
            endings: ".mp4, .mov, .mkv, .webm, .png, .wav, .flac, .m4a or .opus")
        try checkRates(codec)
        try OutputFile.check(output, isReplaced: true, inputs: inputs)
        var settings = MovieSink.Settings(
            codec: codec, fileType: type, bitRate: encoding.bitrate?.bitsPerSecond,
            rateFactor: encoding.crf, encoderPreset: encoderPreset,
            sampleFormat: encoding.pixelFormat?.format,
            audioCodec: encoding.audioCodec.flatMap { AudioCodecType(rawValue: $0) },
            audioBitRate: encoding.audioBitrate?.bitsPerSecond, keepsHDR: encoding.hdr,
            prefersHardware: encoding.hardwareEncoder, inputs: inputs)
        guard encoding.passes == 2 else {
            return try render(
                into: MovieSink(output, settings: settings), with: effects.load())
        }
        guard [.h264, .hevc].contains(codec) else {
            throw ToolError(
                .wrongUsage,
                "--passes: \(codec.rawValue) is encoded in one pass; use --codec h264 or hevc")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "playhead-passes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for isFirst in [true, false] {
            settings.pass = EncodingPass(
                isFirst: isFirst, statisticsPath: folder.appendingPathComponent("pass").path)
            // Effects may keep state from frame to frame, so each pass has its own instances.
            try render(into: MovieSink(output, settings: settings), with: effects.load())
        }
    }

    /// Throws an error if an option for video files is used with an image sequence.
    private func checkImages() throws {
        let unused = [
            ("--codec", encoding.codec != nil), ("--crf", encoding.crf != nil),
            ("--bitrate", encoding.bitrate != nil), ("--passes", encoding.passes > 1),
            ("--pixel-format", encoding.pixelFormat != nil), ("--hdr", encoding.hdr),
            ("--hardware-encoder", encoding.hardwareEncoder),
            ("--audio-codec", encoding.audioCodec != nil),
            ("--audio-bitrate", encoding.audioBitrate != nil),
            ("--chapters", encoding.chapters != nil), ("--metadata", !encoding.metadata.isEmpty),
        ]
        if let (name, _) = unused.first(where: \.1) {
            throw ToolError(
                .wrongUsage,
                "\(name): a .png file holds one image; remove the option, or use another "
                    + "extension")
        }
    }

    /// Throws an error if a rate is set for a codec without rates.
    private func checkRates(_ codec: VideoCodecType) throws {
        let rates = [("--crf", encoding.crf != nil), ("--bitrate", encoding.bitrate != nil)]
        if let (name, _) = rates.first(where: \.1), !codec.hasRate {
            throw ToolError(
                .wrongUsage,
                "\(name): \(codec.rawValue) has a fixed quality; use --codec h264, hevc, av1 or "
                    + "vp9, or remove the option")
        }
        if encoding.audioBitrate != nil,
            let name = encoding.audioCodec ?? codec.audioCodec(in: .matroska)?.rawValue,
            let audio = AudioCodecType(rawValue: name), ![.aac, .opus].contains(audio)
        {
            throw ToolError(
                .wrongUsage,
                "--audio-bitrate: \(name) is lossless; use --audio-codec aac or opus, or remove "
                    + "the option")
        }
    }

    private func render(into sink: any RenderSink, with instances: [EffectInstance]) throws {
        let run = try RenderRun(
            files[0], effects: instances, from: from?.time, to: to?.time, fps: fps, size: size,
            background: background ?? (sink.hasAlpha ? .none : .black), withSound: !mute,
            audioTrack: audioTrack, isPremultiplied: premultiplied,
            subtitles: try subtitles.stills(of: files[0]), encoding: encoding,
            makeAsset: try assets())
        try run.render(into: sink)
    }

    /// Returns a function that opens the inputs: a single one as it is, several as a composition.
    private func assets() throws -> (AssetOptions) -> Asset {
        guard files.count > 1 else {
            return { InputFile.asset(files[0], options: $0, timeline: timelines.options) }
        }
        let asset = try InputComposition.asset(files, transition: transition)
        return { _ in asset }
    }

    /// Copies compressed samples.
    private func copy() throws {
        let unused = [
            ("--effect", !effects.names.isEmpty), ("--preset", effects.preset != nil),
            ("--set", !effects.values.assignments.isEmpty), ("--sub", !subtitles.files.isEmpty),
            ("--subtitle-track", subtitles.subtitleTrack != nil), ("--fps", fps != nil),
            ("--size", size != nil), ("--background", background != nil),
            ("--premultiplied", premultiplied), ("--mute", mute),
            ("--transition", transition.name != nil),
            ("more than one input", files.count > 1),
        ]
        if let (name, _) = unused.first(where: \.1) {
            throw ToolError(
                .wrongUsage,
                "--no-reencode copies samples unchanged, so it cannot be combined with \(name); "
                    + "remove --no-reencode")
        }
        try OutputFile.checkMovie(output)
        try OutputFile.check(output, isReplaced: true, inputs: files)
        try CopyRun(
            files[0], asset: try assets()(AssetOptions()), from: from?.time, to: to?.time,
            audioTrack: audioTrack, encoding: encoding
        ).copy(to: output)
    }

    private func renderAudio(_ type: MediaFileType) throws {
        let unused = [
            ("--effect", !effects.names.isEmpty), ("--preset", effects.preset != nil),
            ("--set", !effects.values.assignments.isEmpty), ("--sub", !subtitles.files.isEmpty),
            ("--subtitle-track", subtitles.subtitleTrack != nil), ("--fps", fps != nil),
            ("--size", size != nil), ("--codec", encoding.codec != nil),
            ("--background", background != nil), ("--premultiplied", premultiplied),
            ("--mute", mute), ("--crf", encoding.crf != nil),
            ("--bitrate", encoding.bitrate != nil), ("--hdr", encoding.hdr),
            ("--pixel-format", encoding.pixelFormat != nil),
            ("--passes", encoding.passes > 1),
            ("--hardware-encoder", encoding.hardwareEncoder),
        ]
        if let (name, _) = unused.first(where: \.1) {
            throw ToolError(
                .wrongUsage,
                "\(name): .\((output as NSString).pathExtension) files hold audio only; "
                    + "remove the option, or use another extension")
        }
        try OutputFile.checkMovie(output)
        try OutputFile.check(output, isReplaced: true, inputs: files)
        let run = try AudioRenderRun(
            files[0], from: from?.time, to: to?.time, audioTrack: audioTrack, encoding: encoding,
            makeAsset: try assets())
        try run.render(
            into: AudioFileSink(
                output, type: type,
                codec: encoding.audioCodec.flatMap { AudioCodecType(rawValue: $0) },
                bitRate: encoding.audioBitrate?.bitsPerSecond))
    }
}

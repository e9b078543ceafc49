// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `playhead snapshot FILE --at T -o OUT.png`: writes the exact frame at a time.
struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Write the exact frame at a time as a PNG.",
        discussion: """
            EXAMPLES:
              playhead snapshot film.mp4 --at 1:02.5 -o frame.png
              playhead snapshot film.mp4 --at 3 --effect chroma_key --size 640x360 -o keyed.png
              playhead snapshot film.mp4 --effect chroma_key --background checkerboard -o keyed.png
              playhead snapshot film.mp4 --at 1:02 --sub film.srt -o titled.png
            """)

    @Argument(help: "Input: a path, a URL, or - for standard input.", completion: .file())
    var file: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Time from the start, such as 12.5, 1:02:03.25 or 1001/30000; 0 by default.",
            valueName: "time"),
        transform: TimeArgument.init(argument:))
    var at: TimeArgument = TimeArgument(.zero)

    @OptionGroup(title: "Effects") var effects: EffectOptions

    @OptionGroup(title: "Subtitles") var subtitles: SubtitleOptions

    @OptionGroup(title: "Timelines") var timelines: TimelineInputOptions

    @Option(
        help: ArgumentHelp("Size of the frame; that of the input by default.", valueName: "WxH"),
        transform: SizeArgument.init(argument:))
    var size: SizeArgument?

    @Option(help: "Background around the video and of transparent areas.")
    var background = BackgroundArgument.none

    @Option(
        name: .shortAndLong, help: "Output PNG; - for standard output.",
        completion: .file())
    var output: String

    func run() throws {
        try OutputFile.checkPicture(output, inputs: [file] + subtitles.files)
        let effects = try effects.load()
        // A still can be shown at any time, because effects may change over time.
        var opening = AssetOptions()
        opening.stillDuration = at.time + MediaTime(value: 1, timescale: 1)
        let generator = ImageGenerator(
            asset: InputFile.asset(file, options: opening, timeline: timelines.options),
            options: .exact)
        let frame = try generator.copyFrame(at: at.time)
        EffectHearing(effects, of: file, from: at.time)?.advance(to: at.time)
        let image = try StillPainter().image(
            of: frame.pixelBuffer, size: size, effects: effects, background: background.scene,
            subtitles: try subtitles.stills(of: file), at: at.time)
        try OutputFile.write(image, to: output)
    }
}

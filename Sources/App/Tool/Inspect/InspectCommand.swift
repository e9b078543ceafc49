// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `playhead inspect FILE`: describes a file.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show tracks, formats, colour, rotation, chapters and metadata.",
        discussion: """
            EXAMPLES:
              playhead inspect film.mp4
              playhead inspect film.mp4 --json | jq .tracks
            """)

    @Argument(
        help: "Media or subtitles: a path, a URL, or - for standard input.",
        completion: .file())
    var file: String

    @OptionGroup(title: "Timelines") var timelines: TimelineInputOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let asset =
            InputFile.isSubtitles(file)
            ? SubtitleFile.asset(file) : InputFile.asset(file, timeline: timelines.options)
        let demuxer = try asset.openDemuxer(cancellation: Cancellation())
        let description = demuxer.description
        let name = InputFile.name(file)
        guard json else {
            Console.print(InspectPage(file: name, description: description).text)
            return
        }
        let report = InspectReport(file: name, description: description)
        Console.print(try Console.json(report, pretty: true))
    }
}

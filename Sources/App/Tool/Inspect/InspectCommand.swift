// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `playhead inspect FILE`: what a film is.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Tells what a film is: tracks, formats, colour, rotation, chapters, metadata.",
        discussion: """
            EXAMPLES:
              playhead inspect film.mp4
              playhead inspect film.mp4 --json | jq .tracks
            """)

    @Argument(
        help: "A film, or subtitles: a path, a URL, or - for standard input.",
        completion: .file())
    var file: String

    @Flag(help: "Print JSON for programs.")
    var json = false

    func run() throws {
        let asset = InputFile.isSubtitles(file) ? SubtitleFile.asset(file) : InputFile.asset(file)
        let demuxer = try asset.openDemuxer(cancellation: Cancellation())
        let description = demuxer.description
        guard json else {
            Console.print(InspectPage(file: file, description: description).text)
            return
        }
        let report = InspectReport(file: file, description: description)
        Console.print(try Console.json(report, pretty: true))
    }
}

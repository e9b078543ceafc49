// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadEditing

/// `prove timeline-clips`: prints the clips of timelines for `Scripts/prove/timelines`, which
/// compares them with those that OpenTimelineIO's own library reads: a line of JSON per file, with
/// times as exact fractions.
struct TimelineClips: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline-clips", abstract: "Print the clips of timelines.",
        shouldDisplay: false)

    @Argument(help: "Timelines.")
    var files: [String]

    @Option(help: "The frame rate of edit decision lists.")
    var edlRate = "24"

    @Option(help: "A folder for the compositions, written as OpenTimelineIO files.")
    var output: String?

    private struct Line: Encodable {
        var file: String
        var duration = ""
        /// The duration of the composition; absent unless it is made.
        var compositionDuration: String?
        var error: String?
        var tracks: [Track] = []
        var notes: [String] = []
    }

    private struct Track: Encodable {
        var type: String
        var duration: String
        var clips: [Clip]
    }

    private struct Clip: Encodable {
        var name: String
        var start: String
        var duration: String
        var mediaStart: String
        var mediaDuration: String
        var frameDuration: String
    }

    func run() async throws {
        let parts = edlRate.split(separator: "/").compactMap { Int64($0) }
        guard let rate = parts.first, rate > 0 else {
            throw ValidationError("--edl-rate takes a number or a fraction, not \(edlRate)")
        }
        let frame = MediaTime(
            value: parts.count == 2 ? parts[1] : 1, timescale: Int32(clamping: rate))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for (index, file) in files.enumerated() {
            var line = Line(file: file)
            do {
                let options = TimelineOptions(editListFrameDuration: frame)
                let timeline = try Timeline(path: file, options: options)
                line.duration = Self.text(timeline.duration)
                line.tracks = timeline.tracks.map(Self.track)
                line.notes = timeline.notes.map(\.description)
                if let output {
                    let composition = await timeline.makeComposition().composition
                    line.compositionDuration = Self.text(composition.duration)
                    let text = composition.openTimelineIO(name: timeline.name)
                    let path = URL(filePath: output).appending(path: "\(index).otio")
                    try text.write(to: path, atomically: true, encoding: .utf8)
                }
            } catch let error as MediaError {
                line.error = error.description
            }
            print(String(decoding: try encoder.encode(line), as: UTF8.self))
        }
    }

    private static func track(_ track: TimelineTrack) -> Track {
        Track(
            type: track.mediaType.rawValue, duration: text(track.duration),
            clips: track.clips.map { clip in
                Clip(
                    name: clip.name, start: text(clip.timeRange.start),
                    duration: text(clip.timeRange.duration),
                    mediaStart: text(clip.mediaTimeRange.start),
                    mediaDuration: text(clip.mediaTimeRange.duration),
                    frameDuration: text(clip.frameDuration))
            })
    }

    private static func text(_ time: MediaTime) -> String { "\(time.value)/\(time.timescale)" }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadAssets
import PlayheadFFmpeg
import PlayheadUI

/// Prints the closed captions of a file, one JSON object for each track.
///
/// `Scripts/prove/captions` compares them with those of other decoders.
struct CaptionCues: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "caption-cues", abstract: "Print the closed captions of a file.",
        shouldDisplay: false)

    @Argument(help: "The file.")
    var file: String

    private struct Track: Encodable {
        var name: String
        var header: String
        var cues: [Cue] = []
    }

    private struct Cue: Encodable {
        var start: Double
        var end: Double
        var text: String
        /// The line of ASS, with positions and styles.
        var line: String
    }

    func run() throws {
        let isText = SubtitleFile.extensions.contains((file as NSString).pathExtension)
        let asset: Asset =
            isText
            ? SubtitleFile.asset(file)
            : URLAsset(location: AssetLocation(file), opener: FFmpegOpener(AssetLocation(file)))
        let tracks = try asset.openDemuxer(cancellation: Cancellation()).description.tracks
        for track in tracks {
            guard let service = track.captions else { continue }
            let reader = try SubtitleReader(asset: asset, trackID: track.id)
            var result = Track(name: service.name, header: reader.script.header)
            while let step = try reader.read() {
                result.cues += step.cues.map { cue in
                    let line = if case .line(let line) = cue.content { line } else { "" }
                    return Cue(
                        start: cue.timeRange.start.seconds, end: cue.timeRange.end.seconds,
                        text: cue.text, line: line)
                }
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            print(String(decoding: try encoder.encode(result), as: UTF8.self))
        }
    }
}

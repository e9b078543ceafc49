// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// Every video that FFmpeg decodes cleanly gives the same frames at the same times as
/// `ffprobe -select_streams INDEX -show_entries frame=best_effort_timestamp` prints, compared as
/// rationals. Where ffprobe prints `N/A`, the frame follows the previous one.
///
/// A sample in a test run; all of them with `PLAYHEAD_CORPUS_FULL=1`.
@Suite(.enabled(if: Corpus.has("MANIFEST.jsonl"), Comment(rawValue: Corpus.absence)))
struct CorpusLawTests {
    static let isFull = ProcessInfo.processInfo.environment["PLAYHEAD_CORPUS_FULL"] == "1"

    /// Formats that are refused on purpose: text shown as video.
    static let refused: Set<String> = ["tty"]

    static let films: [Manifest.Entry] = {
        // The collection has only some of the segments to which its MPDs refer.
        let clean = Manifest.entries.filter {
            $0.baseline == "clean" && $0.hasVideo && $0.format != "dash"
        }
        return isFull ? clean : clean.enumerated().filter { $0.offset % 12 == 5 }.map(\.element)
    }()

    @Test(arguments: films) func `frames have the times of ffprobe`(_ film: Manifest.Entry) throws {
        let path = try #require(Corpus.url(film.path)).path
        let asset = URLAsset(location: .file(path: path), opener: FFmpegOpener(path: path))
        if Self.refused.contains(film.format ?? "") {
            let error = #expect(throws: MediaError.self) { try AssetReader(asset: asset) }
            #expect(error?.code == .unknownFormat)
            return
        }
        let reader = try AssetReader(asset: asset)
        let pictures = try reader.addVideoOutput()
        var times: [MediaTime] = []
        while let frame = try pictures.copyNextSampleBuffer() {
            times.append(frame.presentationTime + reader.description.timestampOffset)
        }
        let expected = try Self.times(of: pictures.track, in: path)
        #expect(pictures.decodeErrorCount == 0)
        #expect(times.count == expected.count, "\(film)")
        for (index, (time, expected)) in zip(times, expected).enumerated() {
            guard let expected, time != expected else { continue }
            Issue.record("\(film): frame \(index) is at \(time), not \(expected)")
            break
        }
    }

    /// Returns the presentation times of a track's frames by ffprobe; nil for a frame without a
    /// time.
    static func times(of track: AssetTrack, in path: String) throws -> [MediaTime?] {
        let text = try Manifest.probe(
            path,
            [
                "-select_streams", String(track.id), "-show_entries",
                "frame=best_effort_timestamp", "-of", "compact=p=0",
            ])
        return text.split(separator: "\n").compactMap { line in
            guard let range = line.range(of: "best_effort_timestamp=") else { return nil }
            let number = line[range.upperBound...].prefix { $0.isNumber || $0 == "-" }
            guard let value = Int64(number) else { return .some(nil) }
            return MediaTime(
                value: value * track.timeUnit.value, timescale: track.timeUnit.timescale)
        }
    }
}

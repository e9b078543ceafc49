// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// Every file with audio that FFmpeg decodes cleanly gives as many samples as the frames of
/// `ffprobe -show_frames` contain, and runs of audio that begin where those frames do.
///
/// A sample in a test run; all of them with `PLAYHEAD_CORPUS_FULL=1`.
@Suite(.enabled(if: Corpus.has("MANIFEST.jsonl"), Comment(rawValue: Corpus.absence)))
struct CorpusSoundTests {
    static let files: [Manifest.Entry] = {
        let clean = Manifest.entries.filter {
            $0.baseline == "clean" && $0.hasAudio && !["dash", "hls"].contains($0.format)
        }
        return CorpusLawTests.isFull
            ? clean : clean.enumerated().filter { $0.offset % 12 == 3 }.map(\.element)
    }()

    @Test(arguments: files) func `audio has the times and lengths of ffprobe`(
        _ file: Manifest.Entry
    ) throws {
        let path = try #require(Corpus.url(file.path)).path
        let description = try Opening.demuxer(path).description
        let track = try #require(description.preferredTrack(of: .audio))
        if track.isEncrypted { return }
        let rate = try #require(track.formatDescription.audio).sampleRate
        let expected = try Self.frames(of: track, in: path)
        let sound = try AssetReader(asset: Opening.asset(path))
            .addAudioOutput(format: .stereo(sampleRate: rate))
        var count = 0
        var end = MediaTime.invalid
        var jumps: [MediaTime] = []
        while let buffer = try sound.copyNextSampleBuffer() {
            count += buffer.frameCount
            let time = buffer.presentationTime
            if time != end { jumps.append(time + description.timestampOffset) }
            end = time + buffer.duration
        }
        #expect(sound.decodeErrorCount == 0)
        #expect(count == expected.reduce(0) { $0 + $1.samples }, "\(file)")
        #expect(jumps.first == expected.first?.time ?? jumps.first, "\(file)")
        let stated = Set(expected.map(\.time))
        #expect(jumps.allSatisfy { stated.contains($0) }, "\(file): \(jumps)")
    }

    static func frames(
        of track: AssetTrack, in path: String
    ) throws -> [(time: MediaTime, samples: Int)] {
        let text = try Manifest.probe(
            path,
            [
                "-select_streams", String(track.id), "-show_entries", "frame=pts,nb_samples",
                "-of", "compact=p=0",
            ])
        return text.split(separator: "\n").compactMap { line in
            func number(_ key: String) -> Int64? {
                line.range(of: key + "=").flatMap {
                    Int64(line[$0.upperBound...].prefix { $0.isNumber || $0 == "-" })
                }
            }
            guard let samples = number("nb_samples") else { return nil }
            let unit = track.timeUnit
            let time = number("pts").map {
                MediaTime(value: $0 * unit.value, timescale: unit.timescale)
            }
            return (time ?? .invalid, Int(samples))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// Any file either plays or fails with a typed error, in time.
///
/// A test run checks the hostile ones; with `PLAYHEAD_CORPUS_FULL=1`, every file of the collection.
@Suite(.enabled(if: Corpus.has("MANIFEST.jsonl"), Comment(rawValue: Corpus.absence)))
struct HostileTests {
    static let files: [String] = {
        let hostile = ["made-here/hostile-media", "made-here/hostile-playlists"].flatMap { folder in
            let path = Corpus.url(folder)?.path ?? ""
            return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
                .map { folder + "/" + $0 }
        }
        return CorpusLawTests.isFull ? Manifest.entries.map(\.path) + hostile : hostile
    }()

    @Test(.timeLimit(.minutes(20)), arguments: files)
    func itPlaysOrEndsInATypedErrorSoon(_ file: String) throws {
        let path = try #require(Corpus.url(file)).path
        let start = HostClock.nanoseconds
        let log = AccessLog()
        defer {
            #expect(log.children.allSatisfy { $0.error != nil || !$0.subject.contains("canary") })
            #expect(log.children.allSatisfy { $0.error != nil || $0.depth <= 3 })
            #expect(log.children.count { $0.error == nil } <= 64)
        }
        var outcome: [String] = []
        do {
            let demuxer = try FFmpegOpener(path: path, options: log.options())
                .openDemuxer(cancellation: Cancellation())
            if demuxer.description.preferredTrack(of: .video) != nil {
                outcome.append(try Self.pictures(path))
            }
            if demuxer.description.preferredTrack(of: .audio) != nil {
                let sound = try Opening.sound(path, format: .stereo(sampleRate: 48000))
                outcome.append("\(sound.reduce(0) { $0 + $1.frameCount }) samples")
            }
        } catch let error as MediaError {
            #expect(error.subject == path)
            #expect(!error.cause.isEmpty && !error.remedy.isEmpty)
            #expect(!error.description.contains("\n"))
            outcome.append("\(error.code): \(error.cause)")
        }
        let seconds = Double(HostClock.nanoseconds - start) / 1e9
        // Checks that it does not hang, not its speed.
        #expect(seconds < 300)
        if CorpusLawTests.isFull {
            FileHandle.standardError.write(
                Data("outcome \(file): \(outcome.joined(separator: ", ")) in \(seconds) s\n".utf8))
        }
    }

    private static func pictures(_ path: String) throws -> String {
        let output = try AssetReader(asset: Opening.asset(path)).addVideoOutput()
        var count = 0
        while count < 500, try output.copyNextSampleBuffer() != nil { count += 1 }
        return "\(count) frames, \(output.decodeErrorCount) errors"
    }
}

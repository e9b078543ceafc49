// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import PlayheadWriting
import Testing

@testable import PlayheadExport

/// Text subtitles of exports, read back.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct ExportSubtitlesTests {
    private let folder = TemporaryFolder()

    private static let script = """
        1
        00:00:00,400 --> 00:00:01,200
        One <i>and</i> a half

        2
        00:00:01,600 --> 00:00:02,800
        Two
        lines

        3
        00:00:03,000 --> 00:00:03,600
        Four

        """
    private static let texts = ["One and a half", "Two\nlines", "Four"]
    private static let times = [(0.4, 1.2), (1.6, 2.8), (3.0, 3.6)]

    /// Makes four seconds of video with two tracks of the script.
    private func makeSource(_ name: String, codecs: [String]) throws -> URL {
        let script = folder.appending("script.srt")
        try Data(Self.script.utf8).write(to: script)
        let source = folder.appending(name)
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                "testsrc2=size=64x48:rate=25:duration=4", "-i", script.path, "-i", script.path,
                "-map", "0", "-map", "1", "-map", "2", "-c:v", "libx264", "-g", "25", "-pix_fmt",
                "yuv420p", "-c:s:0", codecs[0], "-c:s:1", codecs[1], "-metadata:s:s:0",
                "language=eng", "-metadata:s:s:1", "language=fra", source.path,
            ])
        return source
    }

    private func cues(_ url: URL, _ track: AssetTrack) throws -> [SubtitleCue] {
        let reader = try SubtitleReader(asset: ExportSupport.asset(url), trackID: track.id)
        var cues: [SubtitleCue] = []
        while let step = try reader.read() { cues += step.cues.filter { !$0.text.isEmpty } }
        return cues
    }

    @Test(
        arguments: [
            ("source.mkv", ["srt", "ass"]), ("source.mp4", ["mov_text", "mov_text"]),
        ], ["out.mkv", "out.mp4", "out.mov", "out.webm"])
    func `text subtitles are in every export, with their languages and times`(
        source: (name: String, codecs: [String]), name: String
    ) async throws {
        let url = try makeSource(source.name, codecs: source.codecs)
        for preset in [AssetExportPreset.passthrough, .h264_640x480, .vp9HighestQuality] {
            let isWebM = name.hasSuffix("webm")
            // WebM holds no H.264, and QuickTime no VP9.
            guard (preset == .vp9HighestQuality) == isWebM else { continue }
            let result = folder.appending(name)
            let session = ExportSupport.session(url, preset)
            session.replacesExistingFile = true
            try await session.export(to: result.path)
            let tracks = try ExportSupport.description(result).tracks(of: .subtitle)
            #expect(tracks.map { $0.languageTag?.prefix(2) } == ["en", "fr"])
            for track in tracks {
                let found = try cues(result, track)
                #expect(found.map(\.text) == Self.texts, "\(preset.name) \(track.id)")
                for (cue, time) in zip(found, Self.times) {
                    #expect(abs(cue.timeRange.start.seconds - time.0) < 0.002)
                    #expect(abs(cue.timeRange.end.seconds - time.1) < 0.002)
                }
            }
        }
    }

    @Test func `subtitles that the container stores are copied byte for byte`() async throws {
        let matroska = try makeSource("source.mkv", codecs: ["srt", "ass"])
        let copy = folder.appending("copy.mkv")
        try await ExportSupport.session(matroska, .passthrough).export(to: copy.path)
        for stream in ["s:0", "s:1"] {
            let hashes = try ExportSupport.hashes(copy, stream: stream)
            #expect(hashes == (try ExportSupport.hashes(matroska, stream: stream)))
            #expect(hashes.count == 3)
        }
        let codecs = try ExportSupport.description(copy).tracks(of: .subtitle)
            .map(\.formatDescription.codec)
        #expect(codecs == ["subrip", "ass"])
        // In MP4, samples without text stand between the others.
        let movie = try makeSource("source.mp4", codecs: ["mov_text", "mov_text"])
        let moved = folder.appending("copy.mp4")
        try await ExportSupport.session(movie, .passthrough).export(to: moved.path)
        #expect(
            try ExportSupport.hashes(moved, stream: "s:0")
                == ExportSupport.hashes(movie, stream: "s:0"))
    }

    @Test(arguments: [AssetExportPreset.passthrough, .h264_640x480], ["out.mp4", "out.mkv"])
    func `subtitles are cut to the range`(preset: AssetExportPreset, name: String) async throws {
        let source = try makeSource("source.mkv", codecs: ["srt", "ass"])
        let session = ExportSupport.session(source, preset)
        session.timeRange = MediaTimeRange(
            start: ExportSupport.time(50), end: ExportSupport.time(80))
        let result = folder.appending(name)
        try await session.export(to: result.path)
        let tracks = try ExportSupport.description(result).tracks(of: .subtitle)
        #expect(tracks.count == 2)
        for track in tracks {
            let found = try cues(result, track)
            #expect(found.map(\.text) == ["Two\nlines", "Four"])
            let expected = [(0.0, 0.8), (1.0, 1.2)]
            for (cue, time) in zip(found, expected) {
                #expect(abs(cue.timeRange.start.seconds - time.0) < 0.002)
                #expect(abs(cue.timeRange.end.seconds - time.1) < 0.002)
            }
        }
    }
}

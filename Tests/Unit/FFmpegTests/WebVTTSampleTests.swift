// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// WebVTT tracks in MP4.
@Suite("WebVTT in MP4")
struct WebVTTSampleTests {
    private let folder = TemporaryFolder()

    private static let cues: [TextTrack.Cue] = [
        (500, 1500, "", "", "First <i>line</i>"),
        (1000, 2000, "second", "line:0", "At the top &amp; over it"),
        (3000, 4000, "", "", "Third\nof two lines"),
    ]

    private func write(_ bytes: [UInt8], _ name: String = "film.mp4") throws -> String {
        let url = folder.appending(name)
        try Data(bytes).write(to: url)
        return url.path
    }

    private static func read(_ path: String) throws -> Opening.Subtitles {
        try Opening.subtitles(of: Opening.subtitleAsset(path))
    }

    private static func video(_ options: [String], _ name: String) throws -> [UInt8] {
        let folder = TemporaryFolder()
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: 5, timescale: 1)))
        media.height = 240
        let path = folder.appending(name).path
        try Opening.remux(SyntheticClip(media).url().path, options, to: path)
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    private static func expect(
        _ cues: [SubtitleCue], delay: Double = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        // A cue that lasts longer than a sample continues in the next one.
        var store: [SubtitleCue] = []
        for cue in cues {
            let index = store.lastIndex {
                $0.content == cue.content && $0.timeRange.end == cue.timeRange.start
            }
            if cue.isContinuation, let index {
                store[index].timeRange = MediaTimeRange(
                    start: store[index].timeRange.start, end: cue.timeRange.end)
            } else {
                store.append(cue)
            }
        }
        #expect(
            store.map(\.text) == [
                "First line", "At the top & over it", "Third\nof two lines",
            ], sourceLocation: sourceLocation)
        let times = store.flatMap { [$0.timeRange.start.seconds, $0.timeRange.end.seconds] }
        let expected = [0.5, 1.5, 1, 2, 3, 4].map { $0 + delay }
        #expect(
            times.count == expected.count
                && zip(times, expected).allSatisfy { abs($0 - $1) < 0.0005 }, "\(times)",
            sourceLocation: sourceLocation)
    }

    @Test func `cues have their texts, times and positions`() throws {
        let path = try write(TextTrack(webVTT: Self.cues).file())
        let (cues, errors) = try Self.read(path)
        #expect(errors.isEmpty)
        Self.expect(cues)
        guard case .line(let line)? = cues.first(where: { $0.text.hasPrefix("At") })?.content else {
            Issue.record("no line")
            return
        }
        #expect(line.hasSuffix(",0,0,0,,{\\an8}At the top & over it"))
    }

    @Test func `a track has its codec, its kind and its language`() throws {
        let path = try write(TextTrack(webVTT: Self.cues).file())
        let description = try Opening.subtitleAsset(path)
            .openDemuxer(cancellation: Cancellation()).description
        let track = try #require(description.tracks.first)
        #expect(track.mediaType == .subtitle && track.formatDescription.codec == "webvtt")
        #expect(track.formatDescription.codecTag == "wvtt" && track.languageTag == "eng")
        #expect(description.mediaSelectionGroup(for: .legible)?.options.count == 1)
    }

    @Test(
        .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
        arguments: [false, true])
    func `a track beside a video is read, whole or in fragments`(isFragmented: Bool) throws {
        let options =
            isFragmented
            ? ["-movflags", "frag_keyframe+empty_moov+default_base_moof+skip_trailer"] : []
        let video = try Self.video(options, "film.mp4")
        let path = try write(
            TextTrack(webVTT: Self.cues).adding(to: video, isFragmented: isFragmented))
        let (cues, errors) = try Self.read(path)
        #expect(errors.isEmpty)
        Self.expect(cues)
        let reader = try SubtitleReader(asset: Opening.subtitleAsset(path))
        _ = try reader.read()
        try reader.seek(to: MediaTime(value: 5, timescale: 2))
        let late = try Opening.rest(of: reader).cues
        #expect(late.last?.text == "Third\nof two lines")
        #expect(late.last?.timeRange.end.seconds == 4)
        #expect(Set(late).count == late.count)
        // The video and the audio are those of the file without text.
        let description = try Opening.demuxer(path).description
        #expect(description.tracks.map(\.mediaType) == [.video, .audio, .subtitle])
    }

    @Test func `a fragmented track begins at the time of its fragment`() throws {
        var track = TextTrack(webVTT: Self.cues)
        track.start = 10_000
        let (cues, _) = try Self.read(try write(track.header() + track.fragment()))
        Self.expect(cues, delay: 10)
    }

    @Test func `cues around a damaged sample are shown, also in another fragment`() throws {
        func words(_ text: String) -> [UInt8] {
            TextTrack.box("vttc", TextTrack.box("payl", text.utf8))
        }
        var track = TextTrack(webVTT: [])
        track.samples = [(1000, words("a")), (1000, [0, 0, 0]), (1000, words("b"))]
        var later = track
        later.samples = [(1000, words("c"))]
        later.start = 3000
        let (cues, errors) = try Self.read(
            try write(track.header() + track.fragment() + later.fragment()))
        #expect(cues.map(\.text) == ["a", "b", "c"] && errors.count == 1)
        let times = cues.flatMap { [$0.timeRange.start.seconds, $0.timeRange.end.seconds] }
        #expect(times == [0, 1, 2, 3, 3, 4])
    }

    /// A sample, and the cause of its refusal; nil if it is read.
    @Test(
        arguments: [
            (
                Array(TextTrack.box("vttc", TextTrack.box("payl", "words".utf8)).dropLast()),
                "does not fit"
            ),
            ([0, 0, 0, 4] + Array("vttc".utf8), "does not fit"),
            ([0xFF, 0xFF, 0xFF, 0xFF] + Array("vttc".utf8), "does not fit"),
            (
                [0, 0, 0, 1] + Array("vttc".utf8) + [UInt8](repeating: 0xFF, count: 8),
                "does not fit"
            ),
            ([0, 0, 0, 1] + Array("vttc".utf8), "incomplete"),
            ([0, 0, 0], "incomplete"),
            (TextTrack.box("vttc", [0, 0, 0, 99] + Array("payl".utf8)), "does not fit"),
            (TextTrack.box("vttc", []), nil), (TextTrack.box("vtte", []), nil),
            (TextTrack.box("none", [1, 2, 3]), nil),
            (TextTrack.box("vttc", TextTrack.box("payl", [0xFF, 0xFE, 0x80])), nil),
        ] as [([UInt8], String?)])
    func `damaged samples are refused with an error, and those after them are read`(
        sample: [UInt8], cause: String?
    ) throws {
        var track = TextTrack(webVTT: [])
        track.samples = [
            (1000, sample),
            (1000, TextTrack.box("vttc", TextTrack.box("payl", "words".utf8))),
        ]
        for bytes in [track.file(), track.header() + track.fragment()] {
            let (cues, errors) = try Self.read(try write(bytes))
            #expect(cues.last?.text == "words")
            #expect(
                cues.last?.timeRange
                    == MediaTimeRange(
                        start: MediaTime(value: 1, timescale: 1),
                        duration: MediaTime(value: 1, timescale: 1)))
            #expect(errors.map(\.code) == (cause == nil ? [] : [.decodingFailed]))
            if let cause { #expect(errors.first?.cause.contains(cause) == true, "\(errors)") }
        }
    }

    @Test func `noise in the place of boxes ends in cues or an error, never worse`() {
        var random = SplitMix64(seed: 14)
        let seed = TextTrack(webVTT: Self.cues).samples.flatMap(\.bytes)
        for _ in 0..<2000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            let cues = bytes.withUnsafeBytes {
                try? WebVTTCueBoxes.cues(in: $0, limit: 64)
            }
            #expect(cues?.allSatisfy { $0.text.utf8.count <= 64 * 3 } ?? true)
            for cue in cues ?? [] {
                var lines = WebVTTLines()
                _ = lines.line(of: cue, limit: 1000)
            }
        }
    }

    @Test func `a text beyond the limit is left out`() throws {
        let long = String(repeating: "long ", count: 100)
        let path = try write(
            TextTrack(webVTT: [(0, 1000, "", "", long), (1000, 2000, "", "", "short")]).file())
        let asset = Opening.subtitleAsset(path, limits: SubtitleLimits(lineBytes: 200))
        #expect(try Opening.subtitles(of: asset).cues.map(\.text) == ["short"])
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadFFmpeg

/// Subtitles of HLS, which have playlists of their own.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct TextRenditionTests {
    private static let master = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",DEFAULT=YES,\
        URI="en.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Forced",LANGUAGE="de",FORCED=YES,\
        URI="de.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="t",NAME="Other",LANGUAGE="fr",URI="fr.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=320x240,SUBTITLES="s"
        large.m3u8
        """

    private static func list(
        _ segments: [String], sequence: Int = 0, isLive: Bool = false, tags: String = ""
    ) -> String {
        let head =
            "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:1\n"
            + "#EXT-X-MEDIA-SEQUENCE:\(sequence)\n\(tags)"
        return head + segments.map { "#EXTINF:1,\n\($0)\n" }.joined()
            + (isLive ? "" : "#EXT-X-ENDLIST\n")
    }

    /// Returns a segment with cues, whose times are in milliseconds.
    private static func segment(
        _ cues: [(Int, Int, String)], clock: Int64?
    ) -> String {
        func text(_ time: Int) -> String {
            let (seconds, rest) = (time / 1000, String(1000 + time % 1000).dropFirst())
            return "00:00:\(seconds < 10 ? "0" : "")\(seconds).\(rest)"
        }
        let map = clock.map { "X-TIMESTAMP-MAP=MPEGTS:\($0),LOCAL:00:00:00.000\n" } ?? ""
        return "WEBVTT\n" + map + "\n"
            + cues.map { "\(text($0.0)) --> \(text($0.1))\n\($0.2)\n\n" }.joined()
    }

    /// Returns the timestamp of the first frame.
    private static func clock(_ fixture: StreamFixture) throws -> Int64 {
        try Opening.demuxer(fixture.path("large.m3u8")).description.timestampOffset
            .converted(toTimescale: 90_000).value
    }

    private static func fixture() throws -> StreamFixture {
        let fixture = try StreamFixture()
        try fixture.write(master, to: "main.m3u8")
        return fixture
    }

    /// Reads the first rendition.
    private static func read(
        _ fixture: StreamFixture, from time: MediaTime? = nil
    ) throws -> Opening.Subtitles {
        try Opening.subtitles(of: Opening.asset(fixture.path("main.m3u8")), from: time)
    }

    private static func times(_ cues: [SubtitleCue]) -> [Double] {
        cues.flatMap { [$0.timeRange.start.seconds, $0.timeRange.end.seconds] }.map {
            ($0 * 1000).rounded() / 1000
        }
    }

    @Test func `the renditions of the variant are tracks`() throws {
        let fixture = try Self.fixture()
        let description = try Opening.demuxer(fixture.path("main.m3u8")).description
        let tracks = description.tracks(of: .subtitle)
        #expect(description.tracks.map(\.id) == Array(0..<description.tracks.count))
        #expect(tracks.map(\.title) == ["English", "Forced"])
        #expect(tracks.map(\.languageTag) == ["en", "de"])
        #expect(tracks.map(\.isDefault) == [true, false])
        #expect(tracks.map(\.formatDescription.codec) == ["webvtt", "webvtt"])
        try #require(tracks.count == 2)
        #expect(tracks[1].characteristics.contains(.containsOnlyForcedSubtitles))
        let group = try #require(description.mediaSelectionGroup(for: .legible))
        #expect(group.options.map(\.displayName) == ["English", "Forced"])
    }

    @Test func `a cue in several segments is shown once, at the time of the clock`() throws {
        let fixture = try Self.fixture()
        let clock = try Self.clock(fixture)
        try fixture.write(Self.list(["0.vtt", "1.vtt"]), to: "en.m3u8")
        let long = (500, 1500, "<b>Long</b>")
        try fixture.write(
            Self.segment([(100, 400, "First"), long], clock: clock), to: "0.vtt")
        // The second writer counts from another moment, whose timestamp it rounds.
        let other = (clock + 90_001) % TextClock.period
        try fixture.write(
            "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:11.000,MPEGTS:\(other)\n\n"
                + "00:00:10.500 --> 00:00:11.500\n<b>Long</b>\n\n"
                + "00:00:11.600 --> 00:00:11.900\nLast\n", to: "1.vtt")
        let (cues, errors) = try Self.read(fixture)
        #expect(errors.isEmpty && cues.map(\.text) == ["First", "Long", "Last"])
        #expect(Self.times(cues) == [0.1, 0.4, 0.5, 1.5, 1.6, 1.9])
        let (late, _) = try Self.read(fixture, from: MediaTime(value: 3, timescale: 2))
        #expect(late.map(\.text) == ["Long", "Last"])
    }

    @Test func `fragments of MP4 are read, with the times of the stream`() throws {
        let fixture = try Self.fixture()
        let start = try Self.clock(fixture) / 90
        func track(_ time: Int64, _ cues: [TextTrack.Cue]) -> TextTrack {
            var track = TextTrack(webVTT: cues, header: "WEBVTT\n\nSTYLE\n::cue { color: red }")
            track.start = UInt64(start + time)
            return track
        }
        let first = track(0, [(100, 400, "", "", "First"), (500, 1000, "", "", "Long")])
        let second = track(1000, [(0, 500, "", "", "Long"), (600, 900, "", "line:0", "Last")])
        for (name, bytes) in [
            ("head.mp4", first.header()), ("0.m4s", first.fragment()), ("1.m4s", second.fragment()),
        ] {
            try Data(bytes).write(to: fixture.folder.appending(name))
        }
        try fixture.write(
            Self.list(["0.m4s", "1.m4s"], tags: "#EXT-X-MAP:URI=\"head.mp4\"\n"), to: "en.m3u8")
        let (cues, errors) = try Self.read(fixture)
        #expect(errors.isEmpty && cues.map(\.text) == ["First", "Long", "Long", "Last"])
        let expected = [0.1, 0.4, 0.5, 1, 1, 1.5, 1.6, 1.9]
        #expect(zip(Self.times(cues), expected).allSatisfy { abs($0 - $1) < 0.002 }, "\(cues)")
        try #require(cues.count == 4)
        // The second part continues the first one.
        #expect(cues[2].isContinuation && cues[2].content == cues[1].content)
        guard case .line(let line) = cues[0].content else { return }
        #expect(line.contains("\\1c&H0000FF&"))
    }

    @Test func `segments that cannot be read are reported, and the others are shown`() throws {
        let fixture = try Self.fixture()
        let clock = try Self.clock(fixture)
        try fixture.write(
            Self.list(["gone.vtt", "noise.vtt", "../out.vtt", "1.vtt"]), to: "en.m3u8")
        try fixture.write("neither text nor boxes", to: "noise.vtt")
        try fixture.write(Self.segment([(1000, 2000, "words")], clock: clock), to: "1.vtt")
        let (cues, errors) = try Self.read(fixture)
        #expect(cues.map(\.text) == ["words"] && errors.count == 3)
        #expect(errors.first?.cause.contains("gone.vtt") == true, "\(errors)")
        #expect(errors.last?.cause.contains("out.vtt") == true)
    }

    @Test func `a playlist in the place of a segment is refused, and the others are shown`()
        throws
    {
        let fixture = try Self.fixture()
        let clock = try Self.clock(fixture)
        let names = (0..<1000).map { "\($0).ts" }
        for (name, text) in [
            ("en.m3u8", Self.list(["list.vtt", "1.vtt"])), ("list.vtt", Self.list(names)),
            ("1.vtt", Self.segment([(1000, 2000, "words")], clock: clock)),
        ] {
            try fixture.write(text, to: name)
        }
        // Files on a server are not read once a limit has been exceeded.
        let server = try LoopbackServer { request in
            fixture.bytes(String(request.path.dropFirst())).map { .bytes($0) } ?? .status(404)
        }
        defer { server.stop() }
        let opener = FFmpegOpener(AssetLocation(server.url("/main.m3u8")))
        let (cues, errors) = try Opening.subtitles(of: Asset(opener: opener))
        #expect(cues.map(\.text) == ["words"] && errors.count == 1, "\(errors)")
        #expect(errors.first?.cause.contains("list") == true, "\(errors)")
    }

    @Test func `cues around a damaged sample of a fragment are shown`() throws {
        func words(_ text: String) -> [UInt8] {
            TextTrack.box("vttc", TextTrack.box("payl", text.utf8))
        }
        let fixture = try Self.fixture()
        var track = TextTrack(webVTT: [])
        track.samples = [(300, words("a")), (300, [0, 0, 0]), (300, words("b"))]
        track.start = UInt64(try Self.clock(fixture) / 90)
        try Data(track.header() + track.fragment()).write(to: fixture.folder.appending("0.mp4"))
        try fixture.write(Self.list(["0.mp4"]), to: "en.m3u8")
        let (cues, errors) = try Self.read(fixture)
        #expect(cues.map(\.text) == ["a", "b"] && errors.map(\.code) == [.decodingFailed])
    }

    @Test func `the cues of a fragment end at the limit of a track`() throws {
        let fixture = try Self.fixture()
        var track = TextTrack(
            webVTT: (UInt32(0)..<300).map { ($0, $0 + 1, "", "", "word \($0)") })
        track.start = UInt64(try Self.clock(fixture) / 90)
        try Data(track.header() + track.fragment()).write(to: fixture.folder.appending("0.mp4"))
        try fixture.write(Self.list(["0.mp4"]), to: "en.m3u8")
        var options = AssetOptions()
        options.limits.subtitles.keptBytes = 10_000
        let opener = FFmpegOpener(path: fixture.path("main.m3u8"), options: options)
        let (cues, errors) = try Opening.subtitles(of: Asset(opener: opener))
        #expect(errors.isEmpty && (50..<200).contains(cues.count), "\(cues.count)")
    }

    @Test func `encrypted and endless subtitles are refused`() throws {
        let fixture = try Self.fixture()
        try fixture.write(
            Self.list(["0.vtt"], tags: "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n"), to: "en.m3u8")
        func failure() -> MediaError? {
            do {
                return try Self.read(fixture).errors.first
            } catch { return error as? MediaError }
        }
        #expect(failure()?.code == .unsupportedCodec)
        try fixture.write("not a playlist", to: "en.m3u8")
        #expect(failure()?.code == .damaged)
        let server = try LoopbackServer { request in
            switch request.path {
            case "/en.m3u8": .whole(Array(Self.list(["0.vtt"]).utf8))
            case "/0.vtt": .endless(Array("WEBVTT\n\n".utf8))
            default:
                fixture.bytes(String(request.path.dropFirst())).map { .bytes($0) } ?? .status(404)
            }
        }
        defer { server.stop() }
        var options = AssetOptions()
        options.limits.subtitles.fileBytes = 100_000
        let opener = FFmpegOpener(AssetLocation(server.url("/main.m3u8")), options: options)
        let (_, errors) = try Opening.subtitles(of: Asset(opener: opener))
        #expect(errors.map(\.code) == [.limitExceeded])
    }

    @Test func `subtitles of a live stream follow its window`() throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: 6, timescale: 1)))
        media.height = 240
        media.keyframeInterval = 10
        let film = try LiveServer([SyntheticClip(media, container: "ts")])
        defer { film.stop() }
        film.list(0..<6)
        let clock = try FFmpegOpener(AssetLocation(film.url))
            .openDemuxer(cancellation: Cancellation()).description.timestampOffset
            .converted(toTimescale: 90_000).value
        // The number of segments of a second, and whether the stream has ended.
        let state = Mutex((count: 1, isOver: false))
        let server = try LoopbackServer { request in
            let (count, isOver) = state.withLock { $0 }
            let name = String(request.path.dropFirst())
            if name == "en.m3u8" {
                let names = (0..<count).map { "\($0).vtt" }
                return .whole(Array(Self.list(names, isLive: !isOver).utf8))
            }
            if name == "main.m3u8" {
                let text = Self.master.replacing("large.m3u8", with: film.url)
                return .whole(Array((text + "\n").utf8))
            }
            if name.hasSuffix(".vtt"), let number = Int(name.dropLast(4)) {
                // A cue lasts until the middle of the next segment.
                let cues = [number - 1, number].filter { $0 >= 0 }.map {
                    ($0 * 1000 + 100, $0 * 1000 + 1500, "cue \($0)")
                }
                return .whole(Array(Self.segment(cues, clock: clock).utf8))
            }
            return .status(404)
        }
        defer { server.stop() }
        let opener = FFmpegOpener(AssetLocation(server.url("/main.m3u8")))
        let reader = try SubtitleReader(asset: Asset(opener: opener))
        var cues: [SubtitleCue] = []
        for count in 1...3 {
            state.withLock { $0 = (count, count == 3) }
            cues += try #require(try reader.read()).cues
        }
        #expect(try reader.read() == nil)
        #expect(cues.map(\.text) == ["cue 0", "cue 1", "cue 2"])
        #expect(Self.times(cues) == [0.1, 1.5, 1.1, 2.5, 2.1, 3.5])
    }
}

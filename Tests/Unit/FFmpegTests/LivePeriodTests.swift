// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Live presentations of several periods, which a test adds and removes by hand.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct LivePeriodTests {
    private typealias Fixture = PresentationFixture

    /// The media of the periods: H.264 and AAC, the same in another size, and other codecs.
    enum Media: String, CaseIterable {
        case plain, narrow, other

        var arguments: [String] {
            switch self {
            case .plain: ["-c", "copy"]
            case .narrow:
                [
                    "-vf", "crop=288:240:0:0", "-c:v", "libx264", "-g", "10", "-bf", "2",
                    "-preset", "ultrafast", "-c:a", "copy",
                ]
            case .other:
                [
                    "-c:v", "mpeg4", "-g", "10", "-bf", "0", "-q:v", "2", "-c:a", "alac",
                    "-strict", "-2",
                ]
            }
        }
    }

    /// A medium as a file, and its segments.
    private struct Part {
        let fixture: Fixture
        let file: String
        let frames: [Fixture.Frame]

        init(_ media: Media) throws {
            fixture = try Fixture()
            file = fixture.path("whole.mp4")
            try ProcessRunner.check(
                ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", try Fixture.file.path]
                    + media.arguments + [file])
            for name in try FileManager.default.contentsOfDirectory(atPath: fixture.path(""))
            where name.hasSuffix(".m4s") {
                try FileManager.default.removeItem(at: fixture.folder.appending(name))
            }
            try ProcessRunner.check([
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", file, "-map", "0", "-c", "copy",
                "-strict", "-2", "-f", "dash", "-seg_duration", "1", "-use_timeline", "1",
                fixture.path("list.mpd"),
            ])
            frames = try Fixture.frames(FFmpegOpener(path: file))
        }

        /// Returns the sets of a period that lists some of the segments.
        ///
        /// - Parameter offset: The presentation time offset, in seconds, that all tracks state.
        func sets(_ segments: Range<Int>, kinds: [String] = ["video", "audio"]) throws -> String {
            let list = try fixture.text()
            return try kinds.enumerated().map { index, kind in
                let set = try #require(list.range(of: "contentType=\"\(kind)\""))
                let rest = list[set.upperBound...]
                let scale = try #require(Self.value("timescale", in: rest))
                let start = try #require(rest.range(of: "<SegmentTimeline>")).upperBound
                let end = try #require(rest.range(of: "</SegmentTimeline>")).lowerBound
                var (time, runs): (Int, [(Int, Int)]) = (0, [])
                for line in rest[start..<end].split(separator: "<").dropFirst() {
                    guard let duration = Self.value("d", in: line) else { continue }
                    time = Self.value("t", in: line) ?? time
                    for _ in 0...(Self.value("r", in: line) ?? 0) {
                        runs.append((time, duration))
                        time += duration
                    }
                }
                // Segments of audio do not begin at whole seconds.
                let times = runs.map { Double($0.0) / Double(scale) + 0.001 }
                let first = times.firstIndex { $0 >= Double(segments.lowerBound) } ?? runs.count
                let last = times.firstIndex { $0 >= Double(segments.upperBound) } ?? runs.count
                let listed = runs[first..<last].map { "<S t='\($0.0)' d='\($0.1)'/>" }.joined()
                return """
                    <AdaptationSet contentType='\(kind)' lang='en'>
                    <SegmentTemplate timescale='\(scale)' startNumber='\(first + 1)'
                    initialization='init-stream\(kind == "video" ? 0 : 1).m4s'
                    media='chunk-stream\(kind == "video" ? 0 : 1)-$Number%05d$.m4s'>
                    <SegmentTimeline>\(listed)</SegmentTimeline></SegmentTemplate>
                    <Representation id='\(kind)' bandwidth='\(1000 - 100 * index)'/></AdaptationSet>
                    """
            }.joined()
        }

        private static func value(_ name: String, in text: Substring) -> Int? {
            guard let place = text.range(of: " \(name)=\"") ?? text.range(of: "\(name)=\"") else {
                return nil
            }
            return Int(text[place.upperBound...].prefix { $0.isNumber })
        }
    }

    private static let parts = Result {
        try Dictionary(uniqueKeysWithValues: Media.allCases.map { ($0, try Part($0)) })
    }

    /// A period in the MPD.
    private struct Period {
        var id: String
        var attributes: String
        var media: Media
        var segments: Range<Int>
        var kinds = ["video", "audio"]
    }

    /// A server whose MPD lists the periods that the test sets.
    private final class Server: Sendable {
        private let list = Monitor("")
        private let web: LoopbackServer

        init() throws {
            let parts = try LivePeriodTests.parts.get()
            web = try LoopbackServer { [list] request in
                let path = request.path.split(separator: "/").map(String.init)
                if path == ["live.mpd"] { return .whole(Array(list.withLock { $0 }.utf8)) }
                guard path.count == 2, let part = Media(rawValue: path[0]).flatMap({ parts[$0] }),
                    let data = try? Data(contentsOf: part.fixture.folder.appending(path[1]))
                else { return .status(404) }
                return .whole(Array(data))
            }
        }

        var url: String { web.url("/live.mpd") }

        /// Replaces the periods.
        ///
        /// - Parameter end: The end of the presentation; nil while it is live.
        func list(_ periods: [Period], delay: Int = 2, end: Int? = nil) throws {
            let parts = try LivePeriodTests.parts.get()
            let type =
                end.map { "type='static' mediaPresentationDuration='PT\($0)S'" } ?? "type='dynamic'"
            var text = "<MPD \(type) availabilityStartTime='2001-01-01T00:00:00Z' "
            text += "minimumUpdatePeriod='PT0S' suggestedPresentationDelay='PT\(delay)S'>"
            for period in periods {
                text += "<Period id='\(period.id)' \(period.attributes)>"
                text += "<BaseURL>\(period.media.rawValue)/</BaseURL>"
                text += try #require(parts[period.media]).sets(period.segments, kinds: period.kinds)
                text += "</Period>"
            }
            let whole = text + "</MPD>"
            list.change { $0 = whole }
        }
    }

    /// A demuxer whose video or audio is decoded.
    private struct Reader {
        let demuxer: any Demuxer
        let video: any VideoDecoder
        let audio: any AudioDecoder
        private let tracks: (video: Int, audio: Int)

        init(_ server: Server) throws {
            demuxer = try FFmpegOpener(
                AssetLocation(server.url),
                options: AssetOptions(variants: VariantPreference(followsThroughput: false))
            ).openDemuxer(cancellation: Cancellation())
            let video = try #require(demuxer.description.preferredTrack(of: .video))
            let audio = try #require(demuxer.description.preferredTrack(of: .audio))
            demuxer.selectTracks([video.id, audio.id])
            self.video = try demuxer.makeVideoDecoder(for: video)
            self.audio = try demuxer.makeAudioDecoder(
                for: audio, format: .stereo(sampleRate: 48000))
            tracks = (video.id, audio.id)
        }

        /// The frames and the audio that were decoded.
        struct Output {
            var frames: [Fixture.Frame] = []
            /// The times of the first and after the last sample of each run of audio.
            var audio: [ClosedRange<Double>] = []

            mutating func take(_ frame: VideoFrame) {
                frames.append(
                    Fixture.Frame(
                        hash: frame.pixelBuffer.pixelHash,
                        number: FrameNumberStrip.read(from: frame.pixelBuffer),
                        time: frame.presentationTime))
            }

            mutating func take(_ buffer: AudioBuffer) {
                let start = buffer.presentationTime.seconds
                let end = start + Double(buffer.frameCount) / 48000
                if let last = audio.last, abs(last.upperBound - start) < 0.0005 {
                    audio[audio.count - 1] = last.lowerBound...end
                } else {
                    audio.append(start...end)
                }
            }
        }

        /// Reads until a number of frames is decoded, or to the end.
        func read(_ count: Int, into output: inout Output) throws {
            let whole = output.frames.count + count
            while output.frames.count < whole {
                guard let packet = try demuxer.readPacket() else {
                    try video.send(nil)
                    while let frame = try video.receive() { output.take(frame) }
                    try audio.send(nil)
                    while let buffer = try audio.receive() { output.take(buffer) }
                    return
                }
                if packet.trackID == tracks.video {
                    try video.send(packet)
                    while let frame = try video.receive() { output.take(frame) }
                } else {
                    try audio.send(packet)
                    while let buffer = try audio.receive() { output.take(buffer) }
                }
            }
        }

        func frames(_ count: Int) throws -> [Fixture.Frame] {
            var output = Output()
            try read(count, into: &output)
            return output.frames
        }

        func seek(to seconds: Double) throws {
            video.flush()
            audio.flush()
            try demuxer.seek(to: MediaTime(value: Int64(seconds * 1000), timescale: 1000))
        }
    }

    private static func isEven(_ frames: [Fixture.Frame]) -> Bool {
        zip(frames, frames.dropFirst()).allSatisfy {
            abs(($1.time - $0.time).seconds - 0.1) < 0.002
        }
    }

    @Test(arguments: [Media.narrow, .other])
    func `periods are added and removed while the stream is read`(media: Media) throws {
        let server = try Server()
        let parts = try Self.parts.get()
        let (first, second) = (try #require(parts[.plain]), try #require(parts[media]))
        try server.list([
            Period(id: "1", attributes: "start='PT0S'", media: .plain, segments: 0..<4)
        ])
        let reader = try Reader(server)
        var output = Reader.Output()
        try reader.read(5, into: &output)
        let begin = try #require(output.frames.first?.number)
        #expect(begin == 20)
        // The second period begins where the first one ends, and states no start.
        try server.list([
            Period(
                id: "1", attributes: "start='PT0S' duration='PT4S'", media: .plain, segments: 1..<4),
            Period(id: "2", attributes: "", media: media, segments: 0..<2),
        ])
        try reader.read(25, into: &output)
        // The first period has left the presentation, and a third one has joined it.
        try server.list([
            Period(id: "2", attributes: "duration='PT4S'", media: media, segments: 0..<4),
            Period(id: "3", attributes: "", media: .plain, segments: 0..<1),
        ])
        try reader.read(20, into: &output)
        try server.list(
            [
                Period(id: "2", attributes: "duration='PT4S'", media: media, segments: 2..<4),
                Period(id: "3", attributes: "", media: .plain, segments: 0..<4),
            ], end: 12)
        try reader.read(1000, into: &output)
        let expected = first.frames[begin...] + second.frames + first.frames
        #expect(output.frames.map(\.hash) == expected.map(\.hash))
        #expect(Self.isEven(output.frames))
        // The audio continues, apart from its priming.
        let gaps = zip(output.audio, output.audio.dropFirst()).map { $1.lowerBound - $0.upperBound }
        #expect(gaps.allSatisfy { abs($0) < 0.05 }, "\(output.audio)")
        #expect(abs(try #require(output.frames.first).time.seconds - 2) < 0.002)
        #expect(abs(try #require(output.audio.first).lowerBound - 2) < 0.3)
        #expect(abs(try #require(output.audio.last).upperBound - 12) < 0.05)
        let window = try #require(reader.demuxer.liveMonitor?.window)
        #expect(window.hasEnded && abs(window.range.end.seconds - 12) < 0.05)
    }

    @Test(arguments: [Media.narrow, .other])
    func `seeks lead to frames of every period in the window`(media: Media) throws {
        let server = try Server()
        let parts = try Self.parts.get()
        let second = try #require(parts[media])
        let first = try #require(parts[.plain])
        try server.list([
            Period(id: "1", attributes: "start='PT0S'", media: .plain, segments: 0..<4),
            Period(id: "2", attributes: "start='PT4S'", media: media, segments: 0..<4),
        ])
        let reader = try Reader(server)
        // The stream begins before the live edge, in the second period.
        #expect(try reader.frames(1).first?.hash == second.frames[20].hash)
        for target in [1, 6, 3, 4, 0, 7, 2] {
            try reader.seek(to: Double(target) + 0.05)
            let frames = try reader.frames(4)
            let expected = (first.frames + second.frames)[(target * 10)...].prefix(frames.count)
            #expect(frames.map(\.hash) == expected.map(\.hash), "\(target)")
            #expect(abs(try #require(frames.first).time.seconds - Double(target)) < 0.002)
            #expect(Self.isEven(frames))
        }
        // A second opening has the same times.
        try server.list([
            Period(id: "1", attributes: "start='PT0S'", media: .plain, segments: 2..<4),
            Period(id: "2", attributes: "start='PT4S'", media: media, segments: 0..<4),
        ])
        reader.demuxer.reloadPlaylist()
        let start = try #require(reader.demuxer.liveMonitor?.window).range.start
        #expect(abs(start.seconds - 2) < 0.002)
        try reader.seek(to: 3.5)
        #expect(try reader.frames(1).first?.hash == first.frames[30].hash)
    }

    @Test func `a stream that begins near the end of a period continues in the next one`() throws {
        let server = try Server()
        let parts = try Self.parts.get()
        let first = try #require(parts[.plain])
        let second = try #require(parts[.narrow])
        try server.list(
            [
                Period(id: "1", attributes: "start='PT0S'", media: .plain, segments: 0..<4),
                Period(id: "2", attributes: "start='PT4S'", media: .narrow, segments: 0..<1),
            ], delay: 2)
        let reader = try Reader(server)
        try server.list(
            [
                Period(id: "1", attributes: "start='PT0S'", media: .plain, segments: 2..<4),
                Period(id: "2", attributes: "start='PT4S'", media: .narrow, segments: 0..<4),
            ], end: 8)
        let frames = try reader.frames(1000)
        #expect(
            frames.map(\.hash) == first.frames[30...].map(\.hash) + second.frames.map(\.hash))
        #expect(Self.isEven(frames))
    }

    @Test func `a period without audio is followed by one with it`() throws {
        let server = try Server()
        let parts = try Self.parts.get()
        let first = try #require(parts[.plain])
        let second = try #require(parts[.narrow])
        let periods = [
            Period(id: "1", attributes: "start='PT0S'", media: .plain, segments: 0..<4),
            Period(
                id: "2", attributes: "start='PT4S'", media: .narrow, segments: 0..<4,
                kinds: ["video"]),
            Period(id: "3", attributes: "start='PT8S'", media: .plain, segments: 0..<4),
        ]
        try server.list([periods[0]])
        let reader = try Reader(server)
        var output = Reader.Output()
        try reader.read(5, into: &output)
        try server.list(periods, end: 12)
        try reader.read(1000, into: &output)
        let expected = first.frames[20...] + second.frames + first.frames
        #expect(output.frames.map(\.hash) == expected.map(\.hash))
        #expect(Self.isEven(output.frames))
        let silence = try #require(
            zip(output.audio, output.audio.dropFirst()).first { $1.lowerBound - $0.upperBound > 1 })
        #expect(abs(silence.0.upperBound - 4) < 0.05 && abs(silence.1.lowerBound - 8) < 0.05)
    }
}

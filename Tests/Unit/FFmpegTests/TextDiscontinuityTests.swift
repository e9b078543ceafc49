// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadFFmpeg

/// Subtitles of HLS whose playlists have discontinuities at which the timestamps change.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct TextDiscontinuityTests {
    /// The format of the subtitles.
    fileprivate enum Format: String, CaseIterable {
        case webVTT = "WebVTT"
        case boxes = "wvtt"
        case documents = "stpp"
    }

    /// The formats of subtitles and video, and the seconds at which the timestamps of parts begin.
    struct Form: CustomTestStringConvertible {
        fileprivate var format: Format
        var isMP4: Bool
        var starts: [Int]

        var testDescription: String {
            "\(format.rawValue) beside \(isMP4 ? "MP4" : "MPEG-TS") from \(starts)"
        }
    }

    private static let forms = Format.allCases.flatMap { format in
        [(false, [0, 100, 50]), (true, [100, 50, 0]), (false, [0, 0, 0])].map {
            Form(format: format, isMP4: $0.0, starts: $0.1)
        }
    }

    /// The durations of the parts, in seconds. Each second is a segment, and has a cue.
    private static let durations = [2, 3, 2]
    private static let count = 7

    /// A stream of several parts with a rendition of subtitles.
    private final class Stream: Sendable {
        /// The segments that are listed.
        private struct Listed {
            var range = 0..<0
            var hasEnded = false
        }

        private let film: LiveServer
        private let web: LoopbackServer
        private let listed: Shared<Listed>
        let opener: FFmpegOpener

        private final class Shared<Value: Sendable>: Sendable {
            let value: Mutex<Value>
            init(_ value: Value) { self.value = Mutex(value) }
        }

        init(_ form: Form) throws {
            let clips = TextDiscontinuityTests.durations.map { seconds in
                var media = SyntheticMedia(
                    frameTimes: SyntheticFrameTimes(
                        framesPerSecond: 10,
                        duration: MediaTime(value: Int64(seconds), timescale: 1)))
                (media.height, media.keyframeInterval) = (240, 10)
                return SyntheticClip(media, container: "ts")
            }
            let film = try LiveServer(clips, isMP4: form.isMP4, starts: form.starts)
            // The timestamps of the first frames of the parts, in milliseconds.
            let clocks = try clips.indices.map { part in
                let address = film.url.replacing("live.m3u8", with: "\(part).m3u8")
                let description = try FFmpegOpener(AssetLocation(address))
                    .openDemuxer(cancellation: Cancellation()).description
                let start = try #require(description.preferredTrack(of: .video)).timeRange.start
                return (start + description.timestampOffset).converted(toTimescale: 1000).value
            }
            let listed = Shared(Listed())
            let main = """
                #EXTM3U
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",URI="en.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=320x240,SUBTITLES="s"
                \(film.url)

                """
            let header = Stream.track(form.format, at: 0, "").header()
            web = try LoopbackServer { request in
                let name = request.path.dropFirst()
                switch name {
                case "main.m3u8": return .whole(Array(main.utf8))
                case "en.m3u8":
                    let now = listed.value.withLock { $0 }
                    return .whole(Array(Stream.list(now, form.format).utf8))
                case "head.mp4": return .whole(header)
                default:
                    guard let number = Int(name.prefix { $0 != "." }) else { return .status(404) }
                    return .whole(Stream.segment(number, form.format, clocks))
                }
            }
            (self.film, self.listed) = (film, listed)
            opener = FFmpegOpener(AssetLocation(web.url("/main.m3u8")))
        }

        deinit {
            web.stop()
            film.stop()
        }

        func list(_ range: Range<Int>, hasEnded: Bool = false) {
            film.list(range, hasEnded: hasEnded)
            listed.value.withLock { $0 = Listed(range: range, hasEnded: hasEnded) }
        }

        var requestedSegments: [Int] { film.requestedSegments }

        func setFilmDown() { film.setDown(true) }

        /// The item time at which the first segment begins.
        func start() throws -> MediaTime {
            let description = try opener.openDemuxer(cancellation: Cancellation()).description
            return try #require(description.preferredTrack(of: .video)).timeRange.start
        }

        /// Returns the part of a segment, and the number of its segments before it.
        private static func place(_ number: Int) -> (part: Int, second: Int) {
            var (part, second) = (0, number)
            while second >= TextDiscontinuityTests.durations[part] {
                second -= TextDiscontinuityTests.durations[part]
                part += 1
            }
            return (part, second)
        }

        private static func list(_ listed: Listed, _ format: Format) -> String {
            let first = place(listed.range.lowerBound).part
            var lines = [
                "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:1",
                "#EXT-X-MEDIA-SEQUENCE:\(listed.range.lowerBound)",
                "#EXT-X-DISCONTINUITY-SEQUENCE:\(first)",
            ]
            if format != .webVTT { lines.append("#EXT-X-MAP:URI=\"head.mp4\"") }
            for number in listed.range {
                if number > listed.range.lowerBound, place(number).second == 0 {
                    lines.append("#EXT-X-DISCONTINUITY")
                }
                lines += ["#EXTINF:1,", "\(number).\(format == .webVTT ? "vtt" : "m4s")"]
            }
            if listed.hasEnded { lines.append("#EXT-X-ENDLIST") }
            return lines.joined(separator: "\n") + "\n"
        }

        /// Returns a segment with a cue from 200 to 700 ms after its beginning.
        private static func segment(
            _ number: Int, _ format: Format, _ clocks: [Int64]
        ) -> [UInt8] {
            let (part, second) = place(number)
            let words = "cue \(number)"
            guard format == .webVTT else {
                return track(format, at: clocks[part] + Int64(second) * 1000, words).fragment()
            }
            // Times of cues count from the beginning of the part.
            return Array(
                """
                WEBVTT
                X-TIMESTAMP-MAP=MPEGTS:\((clocks[part] * 90) % TextClock.period),LOCAL:00:00:00.000

                00:00:0\(second).200 --> 00:00:0\(second).700
                \(words)

                """.utf8)
        }

        /// Returns a track with samples for a second.
        private static func track(_ format: Format, at time: Int64, _ words: String) -> TextTrack {
            var track: TextTrack
            if format == .boxes {
                track = TextTrack(webVTT: [(200, 700, "", "", words)])
                track.samples.append((300, TextTrack.box("vtte", [])))
            } else {
                let document = """
                    <tt xmlns="http://www.w3.org/ns/ttml"><body><div>
                    <p begin="\(time + 200)ms" end="\(time + 700)ms">\(words)</p></div></body></tt>
                    """
                track = TextTrack(
                    entry: ("stpp", Array("http://www.w3.org/ns/ttml".utf8) + [0, 0, 0]),
                    samples: [(1000, Array(document.utf8))])
                track.handler = "subt"
            }
            track.start = UInt64(time)
            return track
        }
    }

    /// Checks that cues are those of the segments from one on, at their times.
    private static func check(
        _ cues: [SubtitleCue], from first: Int, start: MediaTime,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            cues.map(\.text) == (first..<count).map { "cue \($0)" }, sourceLocation: sourceLocation)
        for (number, cue) in zip(first..., cues) {
            let time = (cue.timeRange.start - start).seconds
            #expect(
                abs(time - Double(number) - 0.2) < 0.05 && cue.timeRange.duration.seconds == 0.5,
                "cue \(number) at \(time)", sourceLocation: sourceLocation)
        }
    }

    /// Returns the cues of the segments that end at or before a time, in seconds.
    private static func read(_ reader: SubtitleReader, to end: Double) throws -> [SubtitleCue] {
        var cues: [SubtitleCue] = []
        while true {
            let step = try #require(try reader.read())
            #expect(step.error == nil)
            cues += step.cues
            if step.time.seconds > end - 0.5 { return cues }
        }
    }

    /// Segments on both sides of each joint, and others, backwards and forwards.
    private static let places = [5, 1, 3, 2, 4, 0, 6]

    @Test(arguments: forms)
    func `cues have the times of the list, in order and after seeks`(_ form: Form) throws {
        let stream = try Stream(form)
        stream.list(0..<Self.count, hasEnded: true)
        let start = try stream.start()
        let (all, errors) = try Opening.subtitles(of: Asset(opener: stream.opener))
        #expect(errors.isEmpty)
        Self.check(all, from: 0, start: start)
        let reader = try SubtitleReader(asset: Asset(opener: stream.opener))
        for place in Self.places {
            try reader.seek(to: start + MediaTime(value: Int64(place) * 10 + 1, timescale: 10))
            let found = try Opening.rest(of: reader)
            #expect(found.errors.isEmpty)
            Self.check(found.cues, from: place, start: start)
        }
    }

    @Test(arguments: forms)
    func `cues of a live stream follow its discontinuities`(_ form: Form) throws {
        let stream = try Stream(form)
        stream.list(0..<3)
        let start = try stream.start()
        let reader = try SubtitleReader(asset: Asset(opener: stream.opener))
        var cues: [SubtitleCue] = []
        for end in 3...Self.count {
            stream.list(max(0, end - 4)..<end, hasEnded: end == Self.count)
            cues += try Self.read(reader, to: start.seconds + Double(end))
        }
        Self.check(cues, from: 0, start: start)
    }

    @Test(arguments: forms)
    func `seeks in a live stream lead to parts before the one that was opened`(
        _ form: Form
    ) throws {
        let stream = try Stream(form)
        stream.list(0..<Self.count)
        // Reading begins at the live edge.
        let reader = try SubtitleReader(asset: Asset(opener: stream.opener))
        for place in Self.places {
            try reader.seek(to: MediaTime(value: Int64(place) * 10 + 1, timescale: 10))
            let cues = try Self.read(reader, to: Double(Self.count))
            Self.check(cues, from: place, start: .zero)
        }
    }

    @Test func `the stream is opened once for each part, and not for its first one`() throws {
        let stream = try Stream(Form(format: .boxes, isMP4: false, starts: [0, 100, 50]))
        stream.list(0..<Self.count, hasEnded: true)
        let reader = try SubtitleReader(asset: Asset(opener: stream.opener))
        let before = stream.requestedSegments.count
        var counts: [Int] = []
        for place in [0, 2, 0, 4, 5] {
            try reader.seek(to: MediaTime(value: Int64(place) * 10 + 1, timescale: 10))
            while try #require(try reader.read()).cues.isEmpty { continue }
            counts.append(stream.requestedSegments.count - before)
        }
        #expect(counts[0] == 0 && counts[1] > 0 && counts[3] == counts[1])
        #expect(counts[2] == counts[1] && counts[4] > counts[3])
    }

    @Test func `cues are in their segments if the stream cannot be opened at a part`() throws {
        for format in Format.allCases {
            let stream = try Stream(Form(format: format, isMP4: false, starts: [0, 100, 50]))
            stream.list(0..<Self.count, hasEnded: true)
            let start = try stream.start()
            let reader = try SubtitleReader(asset: Asset(opener: stream.opener))
            stream.setFilmDown()
            let found = try Opening.rest(of: reader)
            // A cue of WebVTT that counts from the beginning of the part is not at its time.
            #expect(found.cues.count == Self.count, "\(format): \(found.errors)")
            guard format != .webVTT else { continue }
            Self.check(found.cues, from: 0, start: start)
        }
    }
}

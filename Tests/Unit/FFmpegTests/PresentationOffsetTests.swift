// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// Tracks of DASH presentations that begin at different times or timestamps.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct PresentationOffsetTests {
    private typealias Fixture = PresentationFixture

    /// The frames and the samples of an asset, and the time from the first frame to the first
    /// sample.
    private struct Contents: Equatable {
        var frames: [Fixture.Frame]
        var samples: [Float]
        var distance: Double

        init(_ path: String) throws {
            let opener = FFmpegOpener(path: path)
            frames = try Fixture.frames(opener)
            samples = try Fixture.samples(opener)
            let reader = try AssetReader(asset: Asset(opener: opener))
            let output = try reader.addAudioOutput(format: .stereo(sampleRate: 48000))
            let audio = try #require(try output.copyNextSampleBuffer()).presentationTime
            distance = (audio - (try Fixture.firstTime(opener))).seconds
        }
    }

    /// Moves the times in a segment, in place. Written without the code that is tested.
    private static func move(_ file: URL, by seconds: Double, timescale: Double) throws {
        var data = try Data(contentsOf: file)
        for (name, offset) in [("tfdt", 4), ("sidx", 12)] {
            var rest = data.startIndex..<data.endIndex
            while let found = data.range(of: Data(name.utf8), in: rest) {
                rest = found.upperBound..<data.endIndex
                let isLong = data[found.upperBound] != 0
                let place = found.upperBound + offset
                let bytes = place..<place + (isLong ? 8 : 4)
                let time = data[bytes].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                let moved = time + UInt64((seconds * timescale).rounded())
                for index in bytes {
                    data[index] = UInt8(
                        truncatingIfNeeded: moved >> (8 * (bytes.upperBound - 1 - index)))
                }
                if name == "tfdt" { break }
            }
        }
        try data.write(to: file)
    }

    /// Returns a presentation in which the timestamps of one track are later, as its MPD states.
    private static func moved(track: Int, by seconds: Double) throws -> Fixture {
        let fixture = try Fixture(["-use_timeline", "0"])
        let text = try fixture.text()
        let set = try #require(text.range(of: "<AdaptationSet id=\"\(track)\""))
        let template = try #require(
            text.range(of: "<SegmentTemplate ", range: set.upperBound..<text.endIndex))
        let scale = try #require(
            text.range(
                of: "timescale=\"[0-9]+\"", options: .regularExpression,
                range: template.upperBound..<text.endIndex))
        let units = try #require(Double(String(text[scale].filter { $0.isNumber })))
        try fixture.write(
            text.replacingCharacters(
                in: template,
                with: "<SegmentTemplate presentationTimeOffset=\"\(Int(seconds * units))\" "))
        let header = try Data(contentsOf: fixture.folder.appending("init-stream\(track).m4s"))
        let place = try #require(header.range(of: Data("mdhd".utf8))).upperBound + 12
        let timescale = header[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.path(""))
        where name.hasPrefix("chunk-stream\(track)-") {
            try move(fixture.folder.appending(name), by: seconds, timescale: Double(timescale))
        }
        return fixture
    }

    @Test(arguments: [(0, 0.25), (1, 0.25), (0, 7.5), (1, 7.5), (0, 3600), (1, 3600)])
    func `tracks with other timestamps are played at their time`(
        track: Int, seconds: Double
    ) throws {
        let fixture = try Fixture(["-use_timeline", "0"])
        let plain = try Contents(fixture.path("list.mpd"))
        #expect(plain.frames.map(\.number) == Array(0..<Fixture.frameCount))
        let moved = try Self.moved(track: track, by: seconds)
        let contents = try Contents(moved.path("list.mpd"))
        #expect(contents.frames == plain.frames)
        #expect(contents.samples == plain.samples)
        #expect(abs(contents.distance - plain.distance) < 0.0001)
        // The tracks are read side by side, and both have the times of the presentation.
        let demuxer = try FFmpegOpener(path: moved.path("list.mpd"))
            .openDemuxer(cancellation: Cancellation())
        #expect(demuxer.description.startTime == .zero)
        for track in demuxer.description.tracks {
            #expect(abs(track.timeRange.start.seconds) < 0.1)
        }
        var times: [Int: Double] = [:]
        while let packet = try demuxer.readPacket() {
            times[packet.trackID] = packet.decodeTime.seconds
            if times.count == 2 { #expect(abs((times[0] ?? 0) - (times[1] ?? 0)) < 1.2) }
        }
        // Seeks lead to the same frames.
        let finder = try PictureFinder(
            asset: Asset(opener: FFmpegOpener(path: moved.path("list.mpd"))))
        for frame in [25, 0, 39] {
            let picture = try finder.picture(
                at: MediaTime(value: Int64(frame * 100 + 10), timescale: 1000))
            #expect(FrameNumberStrip.read(from: picture.pixelBuffer) == frame)
        }
    }

    @Test func `audio that begins later than the video stays so`() throws {
        let source = try Fixture.file.path
        let fixture = try Fixture()
        let late = fixture.path("late.mp4")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", source, "-itsoffset", "0.5", "-i",
            source, "-map", "0:v", "-map", "1:a", "-c", "copy", late,
        ])
        let presentation = try Fixture(["-use_timeline", "1"], from: URL(filePath: late))
        let expected = try Contents(late)
        let found = try Contents(presentation.path("list.mpd"))
        #expect(expected.distance > 0.4)
        #expect(found.frames == expected.frames)
        #expect(abs(found.distance - expected.distance) < 0.001)
        let isPrefix = found.samples.starts(with: expected.samples)
        #expect(isPrefix)
    }

    @Test func `edit lists of reordered frames and of priming apply to both tracks`() throws {
        let fixture = try Fixture()
        for (kind, name) in [("v", "video.mp4"), ("a", "audio.mp4")] {
            try ProcessRunner.check(
                [
                    "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", try Fixture.file.path, "-map",
                    "0:\(kind)", "-c", "copy", "-movflags",
                    "+dash+global_sidx+delay_moov+default_base_moof"
                        + (kind == "v" ? "+frag_keyframe" : ""),
                    "-use_editlist", "1",
                ] + (kind == "a" ? ["-frag_duration", "1000000"] : []) + [fixture.path(name)])
        }
        #expect(
            try Data(contentsOf: fixture.folder.appending("video.mp4"))
                .range(of: Data("elst".utf8)) != nil)
        try fixture.write(
            """
            <MPD mediaPresentationDuration="PT4S"><Period><AdaptationSet mimeType="video/mp4">
            <Representation id="v" bandwidth="1000"><BaseURL>video.mp4</BaseURL><SegmentBase/>
            </Representation></AdaptationSet><AdaptationSet mimeType="audio/mp4">
            <Representation id="a" bandwidth="100"><BaseURL>audio.mp4</BaseURL><SegmentBase/>
            </Representation></AdaptationSet></Period></MPD>
            """)
        let expected = try Contents(try Fixture.file.path)
        let found = try Contents(fixture.path("list.mpd"))
        #expect(found.frames == expected.frames)
        #expect(abs(found.distance - expected.distance) < 0.001)
        let isPrefix = found.samples.starts(with: expected.samples)
        #expect(isPrefix)
    }
}

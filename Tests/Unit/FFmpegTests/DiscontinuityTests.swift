// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Playlists with an end, and with discontinuities at which the timestamps change.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct DiscontinuityTests {
    /// The format of segments, and the seconds at which the timestamps of each clip begin.
    struct Form: CustomTestStringConvertible {
        var isMP4: Bool
        var starts: [Int]

        var testDescription: String { "\(isMP4 ? "MP4" : "MPEG-TS") from \(starts)" }

        fileprivate func server() throws -> LiveServer {
            let clips = DiscontinuityTests.durations.map { DiscontinuityTests.clip(seconds: $0) }
            let server = try LiveServer(clips, isMP4: isMP4, starts: starts)
            server.list(0..<server.segmentCount, hasEnded: true)
            return server
        }
    }

    private static let forms = [false, true].flatMap { isMP4 in
        [[0, 0, 0], [0, 100, 50], [100, 50, 0]].map { Form(isMP4: isMP4, starts: $0) }
    }

    /// The durations of the clips, in seconds.
    private static let durations: [Int64] = [4, 6, 3]
    /// The numbers of all frames. Each clip begins to count again.
    private static let numbers = durations.flatMap { 0..<Int($0) * 10 }

    /// Returns a video of 10 frames a second with a keyframe every second, and audio.
    private static func clip(seconds: Int64) -> SyntheticClip {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: seconds, timescale: 1)))
        (media.height, media.keyframeInterval, media.bidirectionalFrames) = (240, 10, 2)
        return SyntheticClip(media, container: "ts")
    }

    /// A video output of a reader.
    private struct Frames {
        let reader: AssetReader
        let output: AssetReaderTrackOutput<VideoFrame>

        init(_ location: AssetLocation) throws {
            reader = try AssetReader(asset: Asset(opener: FFmpegOpener(location)))
            output = try reader.addVideoOutput()
        }

        /// Returns the next frames with their numbers, but none after the end.
        func next(_ count: Int = .max) throws -> [(number: Int?, time: MediaTime)] {
            var frames: [(number: Int?, time: MediaTime)] = []
            while frames.count < count, let frame = try output.copyNextSampleBuffer() {
                frames.append(
                    (FrameNumberStrip.read(from: frame.pixelBuffer), frame.presentationTime))
            }
            return frames
        }

        /// Returns frames from a time on.
        func next(_ count: Int, from start: MediaTime) throws -> [(number: Int?, time: MediaTime)] {
            reader.restart(
                timeRange: MediaTimeRange(start: start, duration: .positiveInfinity))
            return try next(count)
        }
    }

    /// The frames on both sides of each joint, and others, backwards and forwards.
    private static let places = [70, 20, 120, 40, 100, 39, 99, 41, 101, 0, 129, 45]

    @Test(arguments: forms)
    func `frames have the times of the list, in order and after seeks`(_ form: Form) throws {
        let server = try form.server()
        let start = try FFmpegOpener(AssetLocation(server.url))
            .openDemuxer(cancellation: Cancellation()).description.startTime
        func check(_ frames: [(number: Int?, time: MediaTime)], from first: Int) {
            #expect(frames.map(\.number) == Array(Self.numbers[first...].prefix(frames.count)))
            for (index, frame) in frames.enumerated() {
                let time = (frame.time - start).seconds
                #expect(abs(time - Double(first + index) / 10) < 0.05, "frame \(first + index)")
            }
        }
        // Before anything has been read, and after everything has.
        let fresh = try Frames(AssetLocation(server.url))
        for first in Self.places {
            let time = start + MediaTime(value: Int64(first), timescale: 10)
            check(try fresh.next(15, from: time), from: first)
        }
        let frames = try Frames(AssetLocation(server.url))
        let all = try frames.next()
        #expect(all.count == Self.numbers.count)
        check(all, from: 0)
        for first in Self.places {
            let found = try frames.next(15, from: all[first].time)
            check(found, from: first)
            let error = (try #require(found.first).time - all[first].time).magnitude
            #expect(error <= MediaTime(value: 1, timescale: 1000))
        }
    }

    @Test(arguments: forms)
    func `images are found in any order`(_ form: Form) throws {
        let server = try form.server()
        let finder = try PictureFinder(
            asset: Asset(opener: FFmpegOpener(AssetLocation(server.url))))
        for index in Self.places {
            let time =
                finder.description.startTime + MediaTime(value: Int64(index) * 2 + 1, timescale: 20)
            let picture = try finder.picture(at: time)
            #expect(FrameNumberStrip.read(from: picture.pixelBuffer) == Self.numbers[index])
        }
    }

    /// Writes a stream whose audio is a rendition with segments of another duration.
    ///
    /// - Parameter isMP4: A Boolean value that indicates whether the audio is in fragments of MP4.
    private static func writeRenditions(
        to folder: TemporaryFolder, isMP4: Bool = false
    ) throws {
        for (name, track, duration) in [("v", "0:v", "1"), ("a", "0:a", "1.5")] {
            var text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n"
            // With a start at zero, ffmpeg moves the video, but not the audio, to avoid negative
            // times.
            for (index, start) in [10, 100, 50].enumerated() {
                let list = folder.appending("\(name)\(index).m3u8")
                let options =
                    isMP4 && name == "a"
                    ? [
                        "-bsf:a", "aac_adtstoasc", "-hls_segment_type", "fmp4",
                        "-hls_fmp4_init_filename", "a\(index).mp4",
                    ] : []
                try ProcessRunner.check(
                    [
                        "ffmpeg", "-v", "error", "-nostdin", "-i",
                        try clip(seconds: durations[index]).url().path, "-map", track, "-c",
                        "copy", "-output_ts_offset", "\(start)", "-f", "hls", "-hls_time",
                        duration, "-hls_list_size", "0",
                    ] + (isMP4 ? ["-muxdelay", "0", "-muxpreload", "0"] : []) + options + [
                        list.path
                    ])
                let lines = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
                if index > 0 { text += "#EXT-X-DISCONTINUITY\n" }
                text += lines.drop { !$0.hasPrefix("#EXTINF") && !$0.hasPrefix("#EXT-X-MAP") }
                    .prefix { $0 != "#EXT-X-ENDLIST" }
                    .map { "\($0)\n" }.joined()
            }
            try Data((text + "#EXT-X-ENDLIST\n").utf8).write(to: folder.appending("\(name).m3u8"))
        }
        try RenditionPlaylist.write(to: folder)
    }

    /// Returns the time of the next tick, which is at the start of a second.
    static func tick(
        in output: AssetReaderTrackOutput<AudioBuffer>
    ) throws -> MediaTime? {
        while let buffer = try output.copyNextSampleBuffer() {
            guard let index = buffer.withSamples({ $0.firstIndex { abs($0) > 0.3 } }) else {
                continue
            }
            return buffer.presentationTime + MediaTime(value: Int64(index / 2), timescale: 48000)
        }
        return nil
    }

    /// Expects the frame half a second before each tick, and the tick, after seeks.
    private static func expectSeeks(
        in frames: Frames, of all: [(number: Int?, time: MediaTime)], _ reader: AssetReader,
        _ audio: AssetReaderTrackOutput<AudioBuffer>
    ) throws {
        for second in [7, 11, 9, 10, 4, 1, 12, 5, 3, 8, 2, 6] {
            let place = all[second * 10 - 5]
            #expect(try frames.next(1, from: place.time).first?.number == place.number)
            reader.restart(
                timeRange: MediaTimeRange(start: place.time, duration: .positiveInfinity))
            let tick = try #require(try tick(in: audio))
            #expect(abs((tick - all[second * 10].time).seconds) < 0.05, "\(second)")
        }
    }

    @Test func `a rendition of audio with other segments stays beside the video`() throws {
        let folder = TemporaryFolder()
        try Self.writeRenditions(to: folder)
        let path = folder.appending("main.m3u8").path
        let frames = try Frames(.file(path: path))
        let all = try frames.next()
        #expect(all.map(\.number) == Self.numbers)
        let reader = try AssetReader(asset: Opening.asset(path))
        let audio = try reader.addAudioOutput(format: .stereo(sampleRate: 48000))
        try Self.expectSeeks(in: frames, of: all, reader, audio)
    }

    // The audio ended at its first discontinuity.
    @Test func `a rendition of MP4 beside a transport stream is heard in each part`() throws {
        let folder = TemporaryFolder()
        try Self.writeRenditions(to: folder, isMP4: true)
        let path = folder.appending("main.m3u8").path
        let frames = try Frames(.file(path: path))
        let all = try frames.next()
        #expect(all.map(\.number) == Self.numbers)
        #expect(
            zip(all, all.dropFirst()).allSatisfy {
                abs(($1.time - $0.time).seconds - 0.1) < 0.05
            })
        let reader = try AssetReader(asset: Opening.asset(path))
        let audio = try reader.addAudioOutput(format: .stereo(sampleRate: 48000))
        var ticks: [Double] = []
        while let tick = try Self.tick(in: audio) {
            // A tick may continue in the next buffer.
            let time = (tick - all[0].time).seconds
            if time > (ticks.last ?? -1) + 0.5 { ticks.append(time) }
        }
        #expect(ticks.count == all.count / 10)
        #expect(ticks.enumerated().allSatisfy { abs($1 - Double($0)) < 0.05 }, "\(ticks)")
        try Self.expectSeeks(in: frames, of: all, reader, audio)
    }

    // FFmpeg could not seek to the times of the timeline in another variant.
    @Test func `another variant takes over after a discontinuity, without a frame lost`() throws {
        let folder = TemporaryFolder()
        try Self.writeRenditions(to: folder)
        try FileManager.default.copyItem(
            at: folder.appending("v.m3u8"), to: folder.appending("w.m3u8"))
        let main = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=320x240
            v.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=320x240
            w.m3u8
            """
        let list = folder.appending("main.m3u8")
        try Data(main.utf8).write(to: list)
        let log = AccessLog()
        let demuxer = try FFmpegOpener(path: list.path, options: log.options())
            .openDemuxer(cancellation: Cancellation())
        let track = try #require(demuxer.description.preferredTrack(of: .video))
        demuxer.selectTracks([track.id])
        let decoder = try demuxer.makeVideoDecoder(for: track)
        var frames: [(number: Int?, time: MediaTime)] = []
        func take() throws {
            while let frame = try decoder.receive() {
                frames.append(
                    (FrameNumberStrip.read(from: frame.pixelBuffer), frame.presentationTime))
            }
        }
        while let packet = try demuxer.readPacket() {
            try decoder.send(packet)
            try take()
            if frames.count == 55 { demuxer.prefer(VariantPreference(peakBitRate: 400_000)) }
        }
        try decoder.send(nil)
        try take()
        #expect(log.opened.contains("w.m3u8"))
        #expect(frames.map(\.number) == Self.numbers)
        #expect(
            zip(frames, frames.dropFirst()).allSatisfy {
                abs(($1.time - $0.time).seconds - 0.1) < 0.05
            })
    }

    @Test func `only the segments from the target on are requested`() throws {
        let server = try Form(isMP4: false, starts: [0, 0, 0]).server()
        let demuxer = try FFmpegOpener(AssetLocation(server.url))
            .openDemuxer(cancellation: Cancellation())
        let before = server.requestedSegments.count
        try demuxer.seek(to: MediaTime(value: 19, timescale: 2))
        _ = try demuxer.readPacket()
        #expect(server.requestedSegments.dropFirst(before).min() == 9)
    }
}

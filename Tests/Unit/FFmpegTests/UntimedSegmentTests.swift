// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadFFmpeg

/// Streams of MPEG transport streams in segments whose first packets have no time.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct UntimedSegmentTests {
    /// A video of four segments of a second each.
    struct Stream: CustomTestStringConvertible {
        var codec: String
        var bidirectionalFrames: Int
        /// The time at which the segments begin, in seconds.
        var start = 0
        /// Additional options of the muxer.
        var options: [String] = []
        /// Additional options of the encoder.
        var encoding: [String] = []
        var hasSound = true

        var testDescription: String {
            ([codec, "\(bidirectionalFrames) B-frames from \(start)"] + options + encoding)
                .joined(separator: " ") + (hasSound ? " with audio" : "")
        }

        /// The folder of each stream that was written, by its description.
        private static let written = Mutex<[String: TemporaryFolder]>([:])

        /// Writes the stream into a folder as HLS and DASH.
        func write(to folder: TemporaryFolder) throws {
            let original = try Self.written.withLock { written in
                if let original = written[testDescription] { return original }
                let original = TemporaryFolder()
                try encode(to: original)
                written[testDescription] = original
                return original
            }
            for name in try FileManager.default.contentsOfDirectory(atPath: original.url.path) {
                try FileManager.default.copyItem(
                    at: original.appending(name), to: folder.appending(name))
            }
        }

        private func encode(to folder: TemporaryFolder) throws {
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    framesPerSecond: 25, duration: MediaTime(value: 4, timescale: 1)))
            if !hasSound { media.sounds = [] }
            media.keyframeInterval = 25
            media.bidirectionalFrames = bidirectionalFrames
            let clip = SyntheticClip(
                media, videoCodec: codec, container: "ts", options: encoding)
            try ProcessRunner.check(
                ["ffmpeg", "-v", "error", "-nostdin", "-i", clip.url().path, "-c", "copy"]
                    + options
                    + [
                        "-output_ts_offset", "\(start)", "-f", "hls", "-hls_time", "1",
                        "-hls_list_size", "0",
                        "-hls_segment_filename", folder.appending("%d.ts").path,
                        folder.appending("list.m3u8").path,
                    ])
            let segments = (0..<4).map { "<SegmentURL media=\"\($0).ts\"/>" }.joined()
            let presentation = """
                <MPD type="static" mediaPresentationDuration="PT4S"><Period>
                <AdaptationSet mimeType="video/mp2t"><Representation id="v" bandwidth="1000000">
                <SegmentList duration="1" presentationTimeOffset="\(start)">
                \(segments)</SegmentList></Representation></AdaptationSet></Period></MPD>
                """
            try Data(presentation.utf8).write(to: folder.appending("list.mpd"))
        }
    }

    /// A frame or a buffer of audio.
    private struct Sample: Equatable {
        var time: MediaTime
        var content: Int
    }

    private static let streams = [
        Stream(codec: "libx264", bidirectionalFrames: 0),
        Stream(codec: "libx264", bidirectionalFrames: 2),
        Stream(codec: "libx264", bidirectionalFrames: 0, hasSound: false),
        Stream(
            codec: "libx264", bidirectionalFrames: 2, encoding: ["-x264-params", "open-gop=1"]),
        Stream(codec: "libx265", bidirectionalFrames: 0),
        Stream(codec: "libx265", bidirectionalFrames: 2),
        Stream(codec: "mpeg2video", bidirectionalFrames: 0),
        Stream(codec: "mpeg2video", bidirectionalFrames: 2),
        Stream(codec: "mpeg2video", bidirectionalFrames: 2, start: 36000),
        Stream(codec: "mpeg4", bidirectionalFrames: 0, hasSound: false),
        Stream(codec: "mpeg4", bidirectionalFrames: 2),
    ]

    /// Removes the times of the first packets of some segments.
    private static func removeTimes(
        from folder: TemporaryFolder, _ segments: some Sequence<Int>, count: Int = 1,
        of kind: TransportTimes.Kind = .video
    ) throws {
        for number in segments {
            let file = folder.appending("\(number).ts")
            let bytes = TransportTimes.removed(
                from: [UInt8](try Data(contentsOf: file)), first: count, of: kind)
            try Data(bytes).write(to: file)
        }
    }

    private static func frames(
        _ asset: URLAsset, from start: MediaTime? = nil
    ) throws -> [Sample] {
        let range = start.map { MediaTimeRange(start: $0, duration: .positiveInfinity) }
        let output = try AssetReader(asset: asset, timeRange: range).addVideoOutput()
        var samples: [Sample] = []
        while let frame = try output.copyNextSampleBuffer() {
            let number = FrameNumberStrip.read(from: frame.pixelBuffer) ?? -1
            samples.append(Sample(time: frame.presentationTime, content: number))
        }
        return samples
    }

    private static func samples(
        _ asset: URLAsset, from start: MediaTime?
    ) throws -> (MediaTime, [Float]) {
        let range = start.map { MediaTimeRange(start: $0, duration: .positiveInfinity) }
        let output = try AssetReader(asset: asset, timeRange: range)
            .addAudioOutput(format: .stereo(sampleRate: 48000))
        var (first, samples): (MediaTime?, [Float]) = (nil, [])
        while let buffer = try output.copyNextSampleBuffer() {
            first = first ?? buffer.presentationTime
            buffer.withSamples { samples += $0 }
        }
        return (first ?? .invalid, samples)
    }

    private static func isEqual(_ found: [Sample], _ expected: [Sample]) -> Bool {
        found.map(\.content) == expected.map(\.content)
            && zip(found, expected).allSatisfy {
                ($0.time - $1.time).magnitude <= MediaTime(value: 1, timescale: 10_000)
            }
    }

    @Test(
        arguments: streams,
        [
            ("list.m3u8", 0..<1), ("list.m3u8", 2..<3), ("list.m3u8", 0..<4), ("list.mpd", 0..<1),
            ("list.mpd", 0..<4),
        ])
    func `frames have the times of the intact stream`(
        _ stream: Stream, _ change: (name: String, segments: Range<Int>)
    ) throws {
        let folder = TemporaryFolder()
        try stream.write(to: folder)
        let path = folder.appending(change.name).path
        let intact = try Self.frames(Opening.asset(path))
        try #require(intact.map(\.content) == Array(0..<100))
        let startTime = try Opening.demuxer(path).description.startTime
        try Self.removeTimes(from: folder, change.segments)
        let asset = Opening.asset(path)
        let demuxer = try Opening.demuxer(path)
        #expect(demuxer.description.startTime == startTime)
        #expect(Self.isEqual(try Self.frames(asset), intact))
        for index in [0, 1, 25, 49, 50, 51, 60, 74, 75, 99] {
            let found = try Self.frames(asset, from: intact[index].time)
            #expect(Self.isEqual(found, Array(intact[index...])), "from frame \(index)")
        }
        let finder = try PictureFinder(asset: asset)
        for index in [50, 99, 0, 26, 25, 1] {
            let picture = try finder.picture(at: intact[index].time)
            #expect(FrameNumberStrip.read(from: picture.pixelBuffer) == index)
        }
        // Decoding begins in the segment of the target.
        demuxer.selectTracks(
            Set(demuxer.description.tracks.filter { $0.mediaType == .video }.map(\.id)))
        try demuxer.seek(to: intact[60].time)
        let packet = try #require(try demuxer.readPacket())
        #expect(packet.presentationTime >= intact[49].time)
    }

    @Test(arguments: [
        (0..<1, 1, true), (2..<3, 1, true), (0..<4, 1, true), (0..<1, 1, false), (2..<3, 1, false),
        (0..<4, 1, false), (0..<1, Int.max, true), (0..<2, Int.max, true), (0..<3, Int.max, true),
        (1..<3, Int.max, true), (2..<3, Int.max, true), (0..<1, Int.max, false),
        (0..<2, Int.max, false), (0..<3, Int.max, false), (1..<3, Int.max, false),
        (2..<3, Int.max, false),
    ])
    func `audio has the times of the intact stream`(
        _ segments: Range<Int>, _ count: Int, _ hasVideo: Bool
    ) throws {
        let folder = TemporaryFolder()
        let options = hasVideo ? [] : ["-vn"]
        try Stream(codec: "libx264", bidirectionalFrames: 0, options: options).write(to: folder)
        let path = folder.appending("list.m3u8").path
        let starts = [nil, 0.5, 1.95, 2, 2.05, 2.3, 3].map { seconds in
            seconds.map { MediaTime(value: Int64($0 * 100), timescale: 100) }
        }
        let intact = try starts.map { try Self.samples(Opening.asset(path), from: $0) }
        try Self.removeTimes(from: folder, segments, count: count, of: .audio)
        for (start, expected) in zip(starts, intact) {
            let found = try Self.samples(Opening.asset(path), from: start)
            #expect((found.0 - expected.0).magnitude <= MediaTime(value: 1, timescale: 10_000))
            #expect(found.1 == expected.1, "from \(start?.seconds ?? -1)")
        }
    }

    /// Writes a stream of 30 seconds whose audio begins at zero, and its video three seconds later.
    ///
    /// - Parameter isRendition: A Boolean value that indicates whether the audio is in segments of
    ///   its own.
    private static func writeEarlyAudio(to folder: TemporaryFolder, isRendition: Bool) throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 25, duration: MediaTime(value: 30, timescale: 1)))
        (media.height, media.keyframeInterval) = (240, 25)
        let clip = try SyntheticClip(media, container: "ts").url().path
        func output(_ name: String, _ maps: [String]) -> [String] {
            maps.flatMap { ["-map", $0] } + [
                "-c", "copy", "-muxdelay", "0", "-muxpreload", "0", "-f", "hls", "-hls_time", "1",
                "-hls_list_size", "0", folder.appending("\(name).m3u8").path,
            ]
        }
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-itsoffset", "3", "-i", clip, "-i", clip]
                + (isRendition
                    ? output("v", ["0:v"]) + output("a", ["1:a"]) : output("a", ["0:v", "1:a"])))
        try RenditionPlaylist.write(to: folder)
    }

    /// Removes the packets of audio from a segment.
    private static func removeAudio(from file: URL) throws {
        var bytes = [UInt8](try Data(contentsOf: file))
        // The identifiers of the elementary streams begin with 0x100, and 0x1FFF is that of null
        // packets (ISO/IEC 13818-1, 2.4.3.3).
        let starts = stride(from: 0, to: bytes.count, by: 188)
        let packets = starts.filter { bytes[$0 + 1] & 0x1F == 1 }
        let audio = Set(packets.map { bytes[$0 + 2] }).max()
        for start in packets where bytes[start + 2] == audio {
            bytes[start + 1] |= 0x1F
            bytes[start + 2] = 0xFF
        }
        try Data(bytes).write(to: file)
    }

    // Such audio was taken for audio without times: much was read ahead, and a gap moved it.
    @Test(arguments: [false, true])
    func `audio that begins at zero long before the video keeps its times`(
        isRendition: Bool
    ) throws {
        let folder = TemporaryFolder()
        try Self.writeEarlyAudio(to: folder, isRendition: isRendition)
        let path = folder.appending(isRendition ? "main.m3u8" : "a.m3u8").path
        func times() throws -> [MediaTime] {
            let demuxer = try Opening.demuxer(path)
            let track = try #require(demuxer.description.preferredTrack(of: .audio))
            demuxer.selectTracks([track.id])
            var times: [MediaTime] = []
            while let packet = try demuxer.readPacket() { times.append(packet.presentationTime) }
            return times
        }
        let intact = try times()
        #expect(intact.count > 1000)
        try Self.removeAudio(from: folder.appending("a8.ts"))
        let found = try times()
        #expect(found.count < intact.count - 30 && found.count > 1000)
        #expect(Set(found).isSubset(of: intact) && found.first == intact.first)
        let gap = zip(found, found.dropFirst()).map { ($1 - $0).seconds }.max() ?? 0
        #expect(gap > 0.5)
        let log = AccessLog()
        _ = try FFmpegOpener(path: path, options: log.options())
            .openDemuxer(cancellation: Cancellation())
        #expect(!log.opened.contains("a9.ts"), "\(log.opened)")
    }

    @Test(
        arguments: [
            Stream(codec: "libx264", bidirectionalFrames: 0),
            Stream(codec: "libx264", bidirectionalFrames: 2),
            Stream(codec: "libx265", bidirectionalFrames: 2),
        ], [TransportTimes.Kind.video, .audio])
    func `a discontinuity that begins with a packet without a time changes no other times`(
        _ stream: Stream, _ kind: TransportTimes.Kind
    ) throws {
        let folder = TemporaryFolder()
        try stream.write(to: folder)
        // Two seconds, and the same two seconds again.
        for number in 0..<2 {
            try Data(contentsOf: folder.appending("\(number).ts"))
                .write(to: folder.appending("\(number + 4).ts"))
        }
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:1
            #EXTINF:1,
            0.ts
            #EXTINF:1,
            1.ts
            #EXT-X-DISCONTINUITY
            #EXTINF:1,
            4.ts
            #EXTINF:1,
            5.ts
            #EXT-X-ENDLIST

            """
        let list = folder.appending("joined.m3u8")
        try Data(text.utf8).write(to: list)
        let intact = try Self.frames(Opening.asset(list.path))
        try #require(intact.map(\.content) == Array(0..<50) + Array(0..<50))
        let sound = try Self.samples(Opening.asset(list.path), from: nil)
        try Self.removeTimes(from: folder, [4], of: kind)
        #expect(Self.isEqual(try Self.frames(Opening.asset(list.path)), intact))
        let found = try Self.samples(Opening.asset(list.path), from: nil)
        #expect((found.0 - sound.0).magnitude <= MediaTime(value: 1, timescale: 10_000))
        #expect(found.1 == sound.1)
    }
}

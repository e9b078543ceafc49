// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Videos whose first packets have no time, or a wrong one.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct FirstPacketsTests {
    /// A transport stream of 50 frames, the first packets of which have no time.
    struct Stream: CustomTestStringConvertible {
        let codec: String
        let bidirectionalFrames: Int
        let untimedCount: Int

        var testDescription: String {
            "\(untimedCount) of \(codec) with \(bidirectionalFrames) B-frames"
        }

        func bytes() throws -> [UInt8] {
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    framesPerSecond: 25, duration: MediaTime(value: 2, timescale: 1)), sounds: [])
            media.keyframeInterval = 10
            media.bidirectionalFrames = bidirectionalFrames
            let clip = SyntheticClip(media, videoCodec: codec, container: "ts")
            return TransportTimes.removed(
                from: [UInt8](try Data(contentsOf: clip.url())), first: untimedCount)
        }
    }

    static let streams = [
        Stream(codec: "libx264", bidirectionalFrames: 0, untimedCount: 1),
        Stream(codec: "libx264", bidirectionalFrames: 0, untimedCount: 3),
        Stream(codec: "libx264", bidirectionalFrames: 2, untimedCount: 1),
        Stream(codec: "libx264", bidirectionalFrames: 2, untimedCount: 2),
        Stream(codec: "libx265", bidirectionalFrames: 0, untimedCount: 1),
        Stream(codec: "libx265", bidirectionalFrames: 2, untimedCount: 1),
        Stream(codec: "mpeg2video", bidirectionalFrames: 2, untimedCount: 1),
    ]

    private static func time(_ frame: Int) -> MediaTime {
        MediaTime(value: Int64(frame), timescale: 25)
    }

    @Test(arguments: streams)
    func `frames without a time at the beginning are counted back`(_ stream: Stream) throws {
        let folder = TemporaryFolder()
        let file = folder.appending("film.ts")
        try Data(stream.bytes()).write(to: file)
        let asset = Opening.asset(file.path)
        let reader = try AssetReader(asset: asset)
        #expect(reader.description.startTime == .zero)
        #expect(reader.description.duration == Self.time(50))
        let output = try reader.addVideoOutput()
        func read() throws -> [Int?] {
            var numbers: [Int?] = []
            while let frame = try output.copyNextSampleBuffer() {
                let number = FrameNumberStrip.read(from: frame.pixelBuffer)
                #expect(frame.presentationTime == number.map(Self.time))
                numbers.append(number)
            }
            return numbers
        }
        #expect(try read() == Array(0..<50))
        reader.restart(timeRange: MediaTimeRange(start: Self.time(1), end: Self.time(3)))
        #expect(try read() == [1, 2])
        reader.restart(timeRange: nil)
        #expect(try read() == Array(0..<50))
        let finder = try PictureFinder(asset: asset)
        for frame in [25, 1, 0, 49, 2] {
            let picture = try finder.picture(at: Self.time(frame))
            #expect(FrameNumberStrip.read(from: picture.pixelBuffer) == frame)
            #expect(picture.presentationTime == Self.time(frame))
        }
    }

    @Test(arguments: streams)
    func `a pipe has the times of the file`(_ stream: Stream) throws {
        let source = CallbackDataSource.pipe(try stream.bytes())
        let opener = FFmpegOpener(.data(source, name: "pipe"))
        let output = try AssetReader(asset: DataAsset(name: "pipe", opener: opener))
            .addVideoOutput()
        var times: [MediaTime] = []
        while let frame = try output.copyNextSampleBuffer() {
            #expect(FrameNumberStrip.read(from: frame.pixelBuffer) == times.count)
            times.append(frame.presentationTime)
        }
        #expect(times == (0..<50).map(Self.time))
    }

    /// FFmpeg takes the first timestamp that is not zero for the beginning.
    @Test(arguments: [0, 77_000] as [UInt32])
    func `the first frame of an RTSP session has a time of its own`(start: UInt32) throws {
        let video = try RTPVideo(framesPerSecond: 25, seconds: 10, keyframeInterval: 250)
        let server = try RTSPServer(description: RTPVideo.description)
        defer { server.stop() }
        let feed = RTSPFeed(video, start: start, to: server)
        defer { feed.stop() }
        let demuxer = try Opening.stream(server.url())
        #expect(demuxer.description.startTime == .zero)
        let track = try #require(demuxer.description.preferredTrack(of: .video))
        #expect(track.timeRange.start == .zero)
        let decoder = try demuxer.makeVideoDecoder(for: track)
        for number in 0..<10 {
            let packet = try #require(try demuxer.readPacket())
            #expect(packet.presentationTime == Self.time(number))
            try decoder.send(packet)
            let frame = try #require(try decoder.receive())
            #expect(FrameNumberStrip.read(from: frame.pixelBuffer) == number)
            #expect(frame.presentationTime == Self.time(number))
        }
    }

    @Test func `an RTSP session that begins between keyframes begins before its frames`() throws {
        let video = try RTPVideo(framesPerSecond: 25, seconds: 60, keyframeInterval: 10)
        let server = try RTSPServer(description: RTPVideo.description)
        defer { server.stop() }
        let feed = RTSPFeed(video, from: 3, to: server)
        defer { feed.stop() }
        let demuxer = try Opening.stream(server.url())
        #expect(demuxer.description.startTime == .zero)
        let packets = try (0..<20).compactMap { _ in try demuxer.readPacket() }
        #expect(packets.first?.isKeyframe == true)
        let times = packets.map(\.presentationTime)
        #expect(times.allSatisfy { $0 > .zero })
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }
}

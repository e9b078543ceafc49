// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

/// Streams of MP4 segments, in which FFmpeg does not seek.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct StreamSeekingTests {
    private let folder = TemporaryFolder()

    /// Returns a video of 10 frames a second, a keyframe every half second, in segments of two of
    /// those.
    private func stream(seconds: Int64) throws -> URLAsset {
        var media = StreamFixture.film
        media.frameTimes = SyntheticFrameTimes(
            framesPerSecond: 10, duration: MediaTime(value: seconds, timescale: 1))
        let film = try SyntheticClip(media, container: "mp4").url()
        let list = folder.appending("film.m3u8").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-i", film.path, "-c", "copy", "-f", "hls",
            "-hls_time", "1", "-hls_list_size", "0", "-hls_segment_type", "fmp4", list,
        ])
        return Opening.asset(list)
    }

    private static func time(_ frame: Int, after start: MediaTime) -> MediaTime {
        start + MediaTime(value: Int64(frame), timescale: 10)
    }

    // The short one has been read to its end by the time it is open.
    @Test(arguments: [2, 12] as [Int64])
    func `images are found in any order`(seconds: Int64) throws {
        let finder = try PictureFinder(asset: try stream(seconds: seconds))
        let start = finder.description.startTime
        let last = Int(seconds) * 10 - 1
        for frame in [0, last / 2, last, 7, last, 0] {
            let picture = try finder.picture(at: Self.time(frame, after: start))
            #expect(FrameNumberStrip.read(from: picture.pixelBuffer) == frame)
        }
    }

    @Test(arguments: [2, 12] as [Int64])
    func `a stream can be read again after its end, completely and from the middle`(
        seconds: Int64
    ) throws {
        let reader = try AssetReader(asset: try stream(seconds: seconds))
        let start = reader.description.startTime
        let pictures = try reader.addVideoOutput()
        func read() throws -> [Int?] {
            var numbers: [Int?] = []
            while let frame = try pictures.copyNextSampleBuffer() {
                numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer))
            }
            return numbers
        }
        let count = Int(seconds) * 10
        let middle = count * 3 / 4
        #expect(try read() == Array(0..<count))
        for _ in 0..<2 {
            reader.restart(timeRange: nil)
            #expect(try read() == Array(0..<count))
            reader.restart(
                timeRange: MediaTimeRange(
                    start: Self.time(middle, after: start), end: Self.time(count, after: start)))
            #expect(try read() == Array(middle..<count))
        }
    }

    @Test func `a long one is not read from its beginning`() throws {
        let demuxer = try stream(seconds: 12).openDemuxer(cancellation: Cancellation())
        while try demuxer.readPacket() != nil {}
        let target = Self.time(90, after: demuxer.description.startTime)
        try demuxer.seek(to: target)
        let packet = try #require(try demuxer.readPacket())
        #expect(packet.presentationTime <= target)
        #expect(packet.presentationTime > Self.time(80, after: demuxer.description.startTime))
    }
}

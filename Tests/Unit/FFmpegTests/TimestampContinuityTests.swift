// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Timestamps that restart in the middle of a stream.
@Suite struct TimestampContinuityTests {
    private static func time(_ milliseconds: Int64) -> MediaTime {
        MediaTime(value: milliseconds, timescale: 1000)
    }

    private final class Nothing: Sendable {}

    /// Returns the positions of packets of 40 ms whose declared decoding times are these
    /// milliseconds, by track. Track 2 holds subtitles.
    private func moved(
        _ packets: [(track: Int, time: Int64)], joint: (MediaTime) -> MediaTime? = { _ in nil }
    ) -> [Int64] {
        var continuity = TimestampContinuity()
        return packets.map { track, time in
            let packet = MediaPacket(
                trackID: track, presentationTime: Self.time(time), decodeTime: Self.time(time),
                duration: Self.time(40), isKeyframe: true, byteCount: 1, payload: Nothing())
            let offset = continuity.offset(of: packet, isContinuous: track < 2, joint: joint)
            return (Self.time(time) + offset).converted(toTimescale: 1000).value
        }
    }

    @Test func `a restarted timeline continues, with the same offset for all tracks`() {
        // The last audio packet comes after the first frame of the next part.
        let packets: [(Int, Int64)] = [
            (0, 5000), (1, 5010), (0, 5040), (0, 0), (1, 5050), (1, 10), (0, 40), (2, 20), (1, 50),
            (0, 5), (0, 3000), (1, 3010), (0, 100), (1, 110), (2, 150),
        ]
        #expect(
            moved(packets) == [
                5000, 5010, 5040, 5080, 5050, 5090, 5120, 5100, 5130, 5085, 8080, 8090, 8130, 8140,
                8180,
            ])
    }

    @Test func `one wrong timestamp moves one packet`() {
        let packets: [(Int, Int64)] = [
            (0, 5000), (1, 5000), (0, 1040), (1, 5040), (0, 5080), (1, 5080), (0, 90_000_000),
            (0, 5160), (1, 5120),
        ]
        #expect(moved(packets) == [5000, 5000, 5040, 5040, 5080, 5080, 5120, 5160, 5120])
    }

    @Test func `gaps, small steps back and a late start are left alone`() {
        let packets: [(Int, Int64)] = [
            (0, 1000), (0, 800), (0, 1040), (0, 3_601_000), (1, 3_601_000), (1, 3_650_000),
            (2, 500),
        ]
        #expect(moved(packets) == packets.map(\.1))
    }

    @Test func `a new timeline begins where a playlist states it, also after a step forwards`() {
        let packets: [(Int, Int64)] = [
            (0, 5000), (1, 5010), (0, 65_000), (1, 65_010), (0, 65_040), (0, 20), (1, 30),
        ]
        let joints = [5040, 5120].map { Self.time($0) }
        let moved = moved(packets) { time in
            joints.first { ($0 - time).magnitude <= Self.time(50) }
        }
        // The audio before the first joint ends 10 ms after it.
        #expect(moved == [5000, 5010, 5040, 5050, 5080, 5120, 5130])
    }

    // MARK: In files

    private static let isAvailable = SyntheticClip.isAvailable

    /// Returns two seconds of video and a tone, twice: each part with its start time.
    private static func joined(_ seconds: [Int], in folder: TemporaryFolder) throws -> String {
        let duration = MediaTime(value: 2, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
            sounds: [
                SyntheticSound(.tone(500), format: .stereo(sampleRate: 48_000), duration: duration)
            ])
        media.bidirectionalFrames = 2
        media.keyframeInterval = 30
        var bytes = Data()
        for second in seconds {
            let clip = SyntheticClip(
                media, container: "ts", options: ["-output_ts_offset", "\(second)"])
            bytes += try Data(contentsOf: clip.url())
        }
        let file = folder.appending("joined.ts")
        try bytes.write(to: file)
        return file.path
    }

    // FFmpeg takes a step from 100 to 0 for an overflow, and returns 95,443 s.
    @Test(
        .enabled(if: isAvailable, "needs the ffmpeg command"), arguments: [[0, 0, 0], [100, 0]])
    func `a concatenated file is read from end to end, video and audio`(seconds: [Int]) throws {
        let folder = TemporaryFolder()
        let path = try Self.joined(seconds, in: folder)
        let reader = try AssetReader(asset: Opening.asset(path))
        let pictures = try reader.addVideoOutput()
        let sound = try reader.addAudioOutput(format: .stereo(sampleRate: 48_000))
        var numbers: [Int] = []
        var times: [MediaTime] = []
        var (samples, end) = (0, MediaTime.invalid)
        while let frame = try pictures.copyNextSampleBuffer() {
            numbers.append(try #require(FrameNumberStrip.read(from: frame.pixelBuffer)))
            times.append(frame.presentationTime)
            while !end.isNumeric || end < frame.presentationTime,
                let buffer = try sound.copyNextSampleBuffer()
            {
                samples += buffer.frameCount
                end = buffer.presentationTime + buffer.duration
            }
        }
        while let buffer = try sound.copyNextSampleBuffer() {
            samples += buffer.frameCount
            end = buffer.presentationTime + buffer.duration
        }
        #expect(numbers == seconds.flatMap { _ in 0..<60 })
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }
        let frame = MediaTime(value: 1, timescale: 30)
        #expect(steps.allSatisfy { ($0 - frame).magnitude < Self.time(30) })
        let length = Double(seconds.count * 2)
        #expect(abs(Double(samples) / 48_000 - length) < 0.1)
        #expect(abs((end - times[0]).seconds - length) < 0.1)
        var options = AssetOptions()
        options.prefersPreciseDurationAndTiming = true
        let measured = try FFmpegOpener(path: path, options: options).openDemuxer(
            cancellation: Cancellation())
        #expect(abs(measured.description.duration.seconds - length) < 0.1)
    }

    @Test(.enabled(if: isAvailable, "needs the ffmpeg command"))
    func `seeks use the file's timestamps and find frames at any target`() throws {
        let folder = TemporaryFolder()
        let demuxer = try Opening.demuxer(try Self.joined([0, 0], in: folder))
        let track = try #require(demuxer.description.preferredTrack(of: .video))
        for milliseconds in [3500, 1500, 0, 2100, 60_000, 500, 1999] as [Int64] {
            while try demuxer.readPacket() != nil {}
            try demuxer.seek(to: Self.time(milliseconds))
            var first: MediaPacket?
            while first == nil, let packet = try demuxer.readPacket() {
                if packet.trackID == track.id { first = packet }
            }
            let packet = try #require(first)
            #expect(packet.isKeyframe)
            #expect(packet.presentationTime <= max(Self.time(milliseconds), track.timeRange.start))
            #expect(packet.presentationTime < Self.time(2100))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// HLS whose audio is in segments of ADTS that state no times (RFC 8216, section 3.4).
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct PackedAudioTests {
    private static let seconds: Int64 = 8
    private static let frameRate: Int64 = 25
    /// The number of frames of AAC in a segment. A segment of video lasts a second.
    private static let segmentFrames = 70

    /// Writes the list of the audio, that of the video, and one that refers to both.
    private static func write(to folder: TemporaryFolder) throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: Int32(frameRate),
                duration: MediaTime(value: seconds, timescale: 1)))
        (media.height, media.keyframeInterval) = (240, Int(frameRate))
        let clip = try SyntheticClip(media, container: "ts").url().path
        let audio = folder.appending("all.aac")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-i", clip, "-map", "0:v", "-c", "copy", "-f",
            "hls", "-hls_time", "1", "-hls_list_size", "0", folder.appending("v.m3u8").path,
            "-map", "0:a", "-c", "copy", "-f", "adts", audio.path,
        ])
        let frames = Self.frames(of: [UInt8](try Data(contentsOf: audio)))
        var text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n"
        for (index, start) in stride(from: 0, to: frames.count, by: segmentFrames).enumerated() {
            let segment = frames[start..<min(start + segmentFrames, frames.count)]
            try Data(segment.joined()).write(to: folder.appending("\(index).aac"))
            text += "#EXTINF:\(Double(segment.count) * 1024 / 48000),\n\(index).aac\n"
        }
        try Data((text + "#EXT-X-ENDLIST\n").utf8).write(to: folder.appending("a.m3u8"))
        try RenditionPlaylist.write(to: folder)
    }

    /// Returns the frames of ADTS, each with its header (ISO/IEC 13818-7, 6.2).
    private static func frames(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var frames: [ArraySlice<UInt8>] = []
        var start = 0
        while start + 7 <= bytes.count {
            let size =
                Int(bytes[start + 3] & 3) << 11 | Int(bytes[start + 4]) << 3
                | Int(bytes[start + 5]) >> 5
            guard size >= 7, start + size <= bytes.count else { break }
            frames.append(bytes[start..<start + size])
            start += size
        }
        return frames
    }

    /// The audio begins with the priming of the encoder, 21 ms, whose duration ADTS does not state.
    private static let tolerance = 0.05

    @Test(arguments: ["a.m3u8", "main.m3u8"])
    func `audio without times has those of the list, in order and after seeks`(
        name: String
    ) throws {
        let folder = TemporaryFolder()
        try Self.write(to: folder)
        let path = folder.appending(name).path
        let reader = try AssetReader(asset: Opening.asset(path))
        let audio = try reader.addAudioOutput(format: .stereo(sampleRate: 48000))
        let start = reader.description.startTime
        var ticks: [Double] = []
        while let tick = try DiscontinuityTests.tick(in: audio) {
            // A tick may continue in the next buffer.
            let time = (tick - start).seconds
            if time > (ticks.last ?? -1) + 0.5 { ticks.append(time) }
        }
        #expect(ticks.count == Int(Self.seconds))
        #expect(
            ticks.enumerated().allSatisfy { abs($1 - Double($0)) < Self.tolerance }, "\(ticks)")
        for second in [6, 2, 7, 1, 4, 3, 5] as [Int64] {
            let time = start + MediaTime(value: second * 2 - 1, timescale: 2)
            let range = MediaTimeRange(start: time, duration: .positiveInfinity)
            reader.restart(timeRange: range)
            let tick = try #require(try DiscontinuityTests.tick(in: audio))
            #expect(abs((tick - start).seconds - Double(second)) < Self.tolerance, "\(second)")
            guard name == "main.m3u8" else { continue }
            let video = try AssetReader(asset: Opening.asset(path), timeRange: range)
                .addVideoOutput()
            let frame = try #require(try video.copyNextSampleBuffer())
            let number = try #require(FrameNumberStrip.read(from: frame.pixelBuffer))
            let shown = (frame.presentationTime - start).seconds
            #expect(abs(shown - Double(number) / Double(Self.frameRate)) < 0.001)
        }
    }
}

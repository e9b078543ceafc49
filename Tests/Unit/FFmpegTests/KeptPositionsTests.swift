// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Seeks that continue at the position of an earlier seek in the same group of pictures.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct KeptPositionsTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        var container: String
        var options: String

        var testDescription: String { "\(options), \(container)" }
    }

    static let kinds = [
        Kind(container: "mp4", options: "-c:v libx264 -preset veryfast -g 60 -bf 3"),
        Kind(container: "mkv", options: "-c:v libx264 -preset veryfast -g 45 -bf 7 -refs 6"),
        Kind(
            container: "ts",
            options: "-c:v libx264 -preset veryfast -g 60 -bf 3 -x264-params open-gop=1"),
        Kind(container: "mp4", options: "-c:v libx264 -preset ultrafast -g 60 -flags +ildct+ilme"),
        Kind(
            container: "mp4",
            options: "-c:v libx265 -preset ultrafast -g 60 -bf 4 -x265-params log-level=none"),
        Kind(container: "webm", options: "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 60"),
        Kind(container: "mp4", options: "-c:v mpeg4 -g 60 -bf 2"),
        Kind(container: "mp4", options: "-c:v mpeg2video -g 60 -bf 2"),
    ]

    struct Frame: Equatable {
        var time: MediaTime
        var hash: Int
    }

    private static let frameCount = 120

    private func clip(_ kind: Kind, in folder: TemporaryFolder) throws -> String {
        let path = folder.appending("clip.\(kind.container)").path
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                "testsrc2=size=208x112:rate=30,noise=alls=12:allf=t",
                "-frames:v", "\(Self.frameCount)", "-pix_fmt", "yuv420p", "-sc_threshold", "0",
            ] + kind.options.split(separator: " ").map(String.init) + [path])
        return path
    }

    /// A demuxer and a decoder that seek as a player does.
    private final class Reader {
        let demuxer: any Demuxer
        let decoder: FFmpegVideoDecoder

        init(_ path: String) throws {
            demuxer = try Opening.demuxer(path)
            let track = try #require(demuxer.description.preferredTrack(of: .video))
            demuxer.selectTracks([track.id])
            decoder = try #require(try demuxer.makeVideoDecoder(for: track) as? FFmpegVideoDecoder)
        }

        /// Returns up to `count` frames from a time on.
        ///
        /// - Parameters:
        ///   - hint: The time that the decoder is given instead of `time`.
        func frames(
            from time: MediaTime, count: Int, byteLimit: Int = 1 << 30, hint: MediaTime? = nil
        ) throws -> [Frame] {
            try demuxer.seek(to: time)
            decoder.flush(resumingBefore: hint ?? time, byteLimit: byteLimit)
            var frames: [Frame] = []
            var hasEnded = false
            while frames.count < count, !hasEnded {
                let packet = try demuxer.readPacket()
                hasEnded = packet == nil
                decoder.skipsNonReferenceFrames =
                    packet.map { $0.duration.isNumeric && $0.end <= time } ?? false
                try decoder.send(packet)
                while let frame = try decoder.receive() {
                    guard frame.presentationTime >= time else { continue }
                    frames.append(
                        Frame(
                            time: frame.presentationTime, hash: frame.pixelBuffer.pixelHash))
                }
            }
            return Array(frames.prefix(count))
        }
    }

    @Test(arguments: kinds)
    func `a seek that continues at a kept position gives what decoding in a row gives`(
        _ kind: Kind
    ) throws {
        let folder = TemporaryFolder()
        let path = try clip(kind, in: folder)
        let all = try Reader(path).frames(from: .zero, count: Self.frameCount)
        #expect(all.count == Self.frameCount)
        let reader = try Reader(path)
        var random = SplitMix64(seed: 29)
        for _ in 0..<60 {
            let index = Int(random.next() % UInt64(all.count))
            let count = Int(random.next() % 8)
            let frames = try reader.frames(from: all[index].time, count: count)
            #expect(frames == Array(all[index...].prefix(count)), "\(count) from frame \(index)")
        }
        #expect(reader.decoder.resumeCount > 5, "\(reader.decoder.resumeCount)")
    }

    @Test func `frames that a kept position has passed are decoded again`() throws {
        let folder = TemporaryFolder()
        let path = try clip(Self.kinds[0], in: folder)
        let all = try Reader(path).frames(from: .zero, count: Self.frameCount)
        let reader = try Reader(path)
        _ = try reader.frames(from: all[40].time, count: 4)
        _ = try reader.frames(from: all[5].time, count: 1)
        // The hint is later than the first frame that is needed.
        let frames = try reader.frames(from: all[20].time, count: 40, hint: all[55].time)
        #expect(frames == Array(all[20..<60]))
        #expect(reader.decoder.resumeCount == 0)
        let next = try reader.frames(from: all[50].time, count: 8)
        #expect(next == Array(all[50..<58]))
        #expect(reader.decoder.resumeCount == 1)
    }

    @Test func `a decoder without memory for positions keeps none`() throws {
        let folder = TemporaryFolder()
        let path = try clip(Self.kinds[0], in: folder)
        let all = try Reader(path).frames(from: .zero, count: Self.frameCount)
        let reader = try Reader(path)
        for index in [40, 5, 50] {
            let frames = try reader.frames(from: all[index].time, count: 4, byteLimit: 0)
            #expect(frames == Array(all[index...].prefix(4)))
        }
        #expect(reader.decoder.resumeCount == 0)
    }

    @Test func `a keyframe that is decoded by itself does not end a seek that continues`() throws {
        let folder = TemporaryFolder()
        let path = try clip(Self.kinds[0], in: folder)
        let all = try Reader(path).frames(from: .zero, count: Self.frameCount)
        let reader = try Reader(path)
        _ = try reader.frames(from: all[40].time, count: 4)
        _ = try reader.frames(from: all[5].time, count: 1)
        try reader.demuxer.seek(to: all[50].time)
        reader.decoder.flush(resumingBefore: all[50].time, byteLimit: 1 << 30)
        let keyframe = try #require(try reader.demuxer.readPacket())
        reader.decoder.skipsNonReferenceFrames = false
        try reader.decoder.send(keyframe)
        try reader.decoder.send(nil)
        let frame = try #require(try reader.decoder.receive())
        #expect(frame.pixelBuffer.pixelHash == all[0].hash)
        reader.decoder.flush()
        reader.decoder.skipsNonReferenceFrames = true
        try reader.decoder.send(keyframe)
        for _ in 0..<58 { try reader.decoder.send(reader.demuxer.readPacket()) }
        #expect(reader.decoder.resumeCount == 1)
    }
}

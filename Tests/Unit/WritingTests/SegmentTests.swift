// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadWriting

/// Segments for HTTP Live Streaming.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct SegmentTests {
    private let folder = TemporaryFolder()

    /// Keeps the segments of a writer.
    private final class Collector: AssetWriterDelegate {
        let segments = Mutex<[AssetWriterSegment]>([])

        func assetWriter(_ writer: AssetWriter, didOutput segment: AssetWriterSegment) {
            segments.withLock { $0.append(segment) }
        }
    }

    /// Writes frames of 25 in a second, with audio, in segments of a second.
    private func write(
        _ codec: VideoCodecType, frames count: Int
    ) async throws -> [AssetWriterSegment] {
        let collector = Collector()
        let writer = AssetWriter(
            segmentInterval: MediaTime(value: 1, timescale: 1), delegate: collector,
            engine: FFmpegWritingEngine())
        let video = AssetWriterInput(video: WritingSupport.settings(codec))
        let format = AudioFormat.stereo(sampleRate: 48_000)
        let audio = AssetWriterInput(audio: AudioOutputSettings(codec: .aac, format: format))
        try WritingSupport.start(writer, [video, audio])
        for index in 0..<count {
            let buffer = AudioBuffer(
                format: format, presentationTime: WritingSupport.time(index), frameCount: 1920
            ) { _ in }
            try await audio.append(buffer)
            try await video.append(WritingSupport.gray(index), at: WritingSupport.time(index))
        }
        try await writer.finishWriting()
        #expect(writer.status == .completed)
        return collector.segments.withLock { $0 }
    }

    @Test(arguments: [VideoCodecType.h264, .hevc])
    func `segments begin with a keyframe and have the duration of the interval`(
        codec: VideoCodecType
    ) async throws {
        let segments = try await write(codec, frames: 85)
        #expect(segments.map(\.kind) == [.initialization] + Array(repeating: .separable, count: 4))
        #expect(segments.dropFirst().map { $0.timeRange.start.seconds } == [0, 1, 2, 3])
        #expect(segments.last.map { abs($0.timeRange.end.seconds - 3.4) < 0.001 } == true)
        // Each segment plays by itself after the initialization segment.
        let initialization = try #require(segments.first).data
        for segment in segments.dropFirst() {
            let file = folder.appending("one.mp4")
            try Data(initialization + segment.data).write(to: file)
            let keys = try ProcessRunner.run([
                "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
                "packet=flags", "-of", "csv=p=0", file.path,
            ]).text.split(separator: "\n")
            #expect(keys.first?.hasPrefix("K") == true)
            #expect(keys.count == (segment.timeRange.start.seconds < 3 ? 25 : 10))
        }
        // Together they are the stream.
        let whole = folder.appending("whole.mp4")
        try Data(segments.flatMap(\.data)).write(to: whole)
        #expect(try WritingSupport.frames(whole).count == 85)
    }

    @Test func `a playlist of segments plays`() async throws {
        let segments = try await write(.h264, frames: 60)
        var playlist = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:1\n"
        for (index, segment) in segments.enumerated() {
            let name = "part\(index).mp4"
            try Data(segment.data).write(to: folder.appending(name))
            playlist +=
                segment.kind == .initialization
                ? "#EXT-X-MAP:URI=\"\(name)\"\n"
                : "#EXTINF:\(segment.timeRange.duration.seconds),\n\(name)\n"
        }
        let file = folder.appending("list.m3u8")
        try Data((playlist + "#EXT-X-ENDLIST\n").utf8).write(to: file)
        let counted = try ProcessRunner.run([
            "ffprobe", "-v", "error", "-allowed_extensions", "ALL", "-count_packets",
            "-select_streams", "v", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0",
            file.path,
        ])
        #expect(counted.text.contains("60"), "\(counted.text)\(counted.standardError)")
        #expect(try WritingSupport.frames(file).count == 60)
    }
}

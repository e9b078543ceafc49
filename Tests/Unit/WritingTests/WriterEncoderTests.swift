// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadFFmpeg
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadWriting

/// The encoders of a writer.
@Suite struct WriterEncoderTests {
    private let folder = TemporaryFolder()

    /// No hardware encodes so small a frame.
    @Test func `software replaces a hardware encoder that cannot be opened, with one remark`()
        async throws
    {
        var settings = WritingSupport.settings(.h264, width: 16, height: 16)
        settings.prefersHardware = true
        let input = AssetWriterInput(video: settings)
        let writer = try WritingSupport.started(folder.appending("out.mp4"), [input])
        #expect(input.remarks.count == 1)
        let remark = try #require(input.remarks.first)
        #expect(remark.hasPrefix("encoding with libx264: "), "\(remark)")
        #expect(!remark.contains("\n"))
        for name in ["h264_nvenc", "h264_vaapi"] { #expect(remark.contains(name), "\(remark)") }
        for number in 0..<3 {
            try await input.append(
                WritingSupport.gray(number, width: 16, height: 16), at: WritingSupport.time(number))
        }
        try await writer.finishWriting()
        #expect(try WritingSupport.frames(folder.appending("out.mp4")).count == 3)
        // Without the preference, and for codecs that no hardware encodes.
        let plain = AssetWriterInput(video: WritingSupport.settings(.h264))
        try WritingSupport.started(folder.appending("plain.mp4"), [plain]).cancelWriting()
        #expect(plain.remarks.isEmpty)
        settings = WritingSupport.settings(.ffv1)
        settings.prefersHardware = true
        let lossless = AssetWriterInput(video: settings)
        try WritingSupport.started(folder.appending("out.mkv"), [lossless]).cancelWriting()
        #expect(lossless.remarks == ["encoding with ffv1: no hardware encodes ffv1"])
    }

    @Test(arguments: [VideoCodecType.h264, .hevc])
    func `the statistics of a first pass are complete when the file is finished`(
        codec: VideoCodecType
    ) async throws {
        var settings = WritingSupport.settings(codec)
        settings.bitRate = 100_000
        settings.preset = "ultrafast"
        settings.pass = EncodingPass(
            isFirst: true, statisticsPath: folder.appending("pass").path)
        let input = AssetWriterInput(video: settings)
        let writer = try WritingSupport.started(folder.appending("out.mp4"), [input]) {
            $0.discardsOutput = true
        }
        try await WritingSupport.append(10, to: input)
        try await writer.finishWriting()
        // While an encoder is open, the names end with .temp.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.contains("pass"), "\(names)")
        #expect(names.allSatisfy { !$0.hasSuffix(".temp") }, "\(names)")
    }

    /// An encoder that looks ahead returns nothing at first, and everything else at the end.
    @Test func `progress counts frames that the encoder holds`() async throws {
        var settings = WritingSupport.settings(.h264)
        settings.encoderOptions["rc-lookahead"] = "60"
        let input = AssetWriterInput(video: settings)
        let seen = Mutex<[Double]>([])
        let writer = try WritingSupport.started(folder.appending("out.mp4"), [input]) { writer in
            writer.onProcessed { seconds in seen.withLock { $0.append(seconds) } }
        }
        try await WritingSupport.append(40, to: input)
        // The last frame waits for the next one, and each of the others counts a fifth.
        try eventually("progress") { seen.withLock { ($0.last ?? 0) > 38.5 / 125 } }
        #expect(writer.writtenTime == .zero)
        try await writer.finishWriting()
        let values = seen.withLock { $0.sorted() }
        #expect(values.last == 40.0 / 25)
        #expect(values.count >= 70)
        // Frames that are shown before others that are stored earlier come in groups.
        for (value, next) in zip(values, values.dropFirst()) { #expect(next - value < 0.2) }
    }

    @Test func `an encoder returns the packets that it holds one by one`() throws {
        let encoder = try FFmpegWritingEngine().makeVideoEncoder(
            WritingSupport.settings(.h264), for: .mp4, subject: "out.mp4")
        var count = 0
        for number in 0..<20 {
            count += try encoder.encode(
                WritingSupport.gray(number), at: Int64(number) * 512, duration: 512,
                isKeyframe: false
            ).count
        }
        while true {
            let packets = try encoder.encode(nil, at: 0, duration: 0, isKeyframe: false)
            #expect(packets.count <= 1)
            count += packets.count
            if packets.isEmpty { break }
        }
        #expect(count == 20)
        encoder.close()
    }
}

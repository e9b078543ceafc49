// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadWriting

/// Files that a writer makes, read back.
@Suite struct AssetWriterTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [
        VideoSampleFormat(.yuv420, bitDepth: 8), VideoSampleFormat(.yuv420, bitDepth: 10),
        VideoSampleFormat(.yuv420, bitDepth: 12), VideoSampleFormat(.yuv422, bitDepth: 8),
        VideoSampleFormat(.yuv422, bitDepth: 10), VideoSampleFormat(.yuv422, bitDepth: 12),
        VideoSampleFormat(.yuv444, bitDepth: 8), VideoSampleFormat(.yuv444, bitDepth: 10),
        VideoSampleFormat(.yuv444, bitDepth: 12),
        VideoSampleFormat(.yuv420, bitDepth: 8, hasAlpha: true),
        VideoSampleFormat(.yuv444, bitDepth: 10, hasAlpha: true),
        VideoSampleFormat(.rgb, bitDepth: 8, hasAlpha: true),
    ])
    func `every sample of every layout comes back from a lossless file`(
        format: VideoSampleFormat
    ) async throws {
        let url = folder.appending("out.mkv")
        let input = AssetWriterInput(video: WritingSupport.settings(.ffv1, format))
        let writer = try WritingSupport.started(folder.appending("out.mkv"), [input])
        let limit = 1 << format.bitDepth
        let frame = WritingSupport.frame(format.pixelFormat) { component, x, y in
            (component * 77 + x * 13 + y * 331) % limit
        }
        try await input.append(frame, at: .zero)
        try await writer.finishWriting()
        let read = try #require(try WritingSupport.frames(url).first?.pixelBuffer)
        for component in format.pixelFormat.components.indices {
            let (written, found) = (
                SamplePlane(component, of: frame), SamplePlane(component, of: read)
            )
            #expect(written.samples == found.samples, "component \(component)")
        }
    }

    @Test func `a ramp of 10 bits keeps all 877 codes of luma`() async throws {
        let format = VideoSampleFormat(.yuv420, bitDepth: 10)
        var settings = WritingSupport.settings(.ffv1, format, width: 878, height: 16)
        settings.color = ColorAttachments(matrix: .bt709, range: .limited)
        let input = AssetWriterInput(video: settings)
        let writer = try WritingSupport.started(folder.appending("ramp.mkv"), [input])
        let frame = WritingSupport.frame(format.pixelFormat, width: 878, height: 16) {
            component, x, _ in component == 0 ? 64 + min(x, 876) : 512
        }
        try await input.append(frame, at: .zero)
        try await writer.finishWriting()
        let read = try #require(
            try WritingSupport.frames(folder.appending("ramp.mkv")).first?.pixelBuffer)
        #expect(Set(SamplePlane(0, of: read).samples) == Set(64...940))
    }

    @Test(arguments: [("out.mkv", VideoCodecType.ffv1), ("out.mov", .proRes)])
    func `times are exact, and the last frame has its duration`(
        name: String, codec: VideoCodecType
    ) async throws {
        let format = codec == .proRes ? codec.defaultSampleFormat : nil
        let input = AssetWriterInput(video: WritingSupport.settings(codec, format))
        let writer = try WritingSupport.started(folder.appending(name), [input])
        let times = [0, 1, 2, 5, 6, 13, 14].map { MediaTime(value: Int64($0), timescale: 25) }
        for (number, time) in times.enumerated() {
            try await input.append(
                WritingSupport.gray(number * 20), at: time,
                duration: MediaTime(value: 3, timescale: 25))
        }
        try await writer.finishWriting()
        let frames = try WritingSupport.frames(folder.appending(name))
        #expect(frames.map(\.presentationTime) == times)
        let end = try WritingSupport.end(folder.appending(name))
        #expect(end == MediaTime(value: 17, timescale: 25))
    }

    @Test func `a session cuts what lies before its start and after its end`() async throws {
        var settings = WritingSupport.settings(.h264)
        settings.rateFactor = 0
        let input = AssetWriterInput(video: settings)
        // The session begins within frame 3 and ends within frame 7.
        let half = MediaTime(value: 1, timescale: 50)
        let writer = try WritingSupport.started(
            folder.appending("out.mp4"), [input], at: WritingSupport.time(3) + half)
        try writer.endSession(atSourceTime: WritingSupport.time(7) + half)
        try await WritingSupport.append(10, to: input)
        try await writer.finishWriting()
        let frames = try WritingSupport.frames(folder.appending("out.mp4"))
        #expect(
            frames.map { SamplePlane(0, of: $0.pixelBuffer).samples[0] } == [19, 20, 21, 22, 23])
        let expected = [MediaTime.zero] + (0..<4).map { half + WritingSupport.time($0) }
        #expect(frames.map(\.presentationTime) == expected)
        #expect(try WritingSupport.end(folder.appending("out.mp4")) == WritingSupport.time(4))
    }

    @Test func `frames of another layout are converted, exactly where that is possible`()
        async throws
    {
        // NV12 has the samples of planar 4:2:0 in another order.
        let input = AssetWriterInput(video: WritingSupport.settings())
        let writer = try WritingSupport.started(folder.appending("out.mkv"), [input])
        let frame = WritingSupport.frame(.nv12) { component, x, y in
            (component * 50 + x * 3 + y) & 255
        }
        try await input.append(frame, at: .zero)
        try await writer.finishWriting()
        let read = try #require(
            try WritingSupport.frames(folder.appending("out.mkv")).first?.pixelBuffer)
        for component in 0..<3 {
            #expect(
                SamplePlane(component, of: frame).samples
                    == SamplePlane(component, of: read).samples)
        }
    }

    @Test(arguments: [AudioCodecType.flac, .pcm24, .pcmFloat, .alac])
    func `lossless audio keeps every sample, with gaps as silence`(
        codec: AudioCodecType
    ) async throws {
        let format = AudioFormat.stereo(sampleRate: 48_000)
        let input = AssetWriterInput(audio: AudioOutputSettings(codec: codec, format: format))
        let name = codec == .pcmFloat || codec == .pcm24 ? "out.mov" : "out.mkv"
        let start = MediaTime(value: 100, timescale: 48_000)
        let writer = try WritingSupport.started(folder.appending(name), [input], at: start)
        try await input.append(
            WritingSupport.count(from: 1, 5000, at: .zero, format: format))
        // Half a second of nothing.
        try await input.append(
            WritingSupport.count(
                from: 5001, 3000, at: MediaTime(value: 29_000, timescale: 48_000), format: format))
        try await writer.finishWriting()
        let samples = try WritingSupport.samples(folder.appending(name), format: format)
        let found = stride(from: 0, to: samples.count, by: 2).map {
            Int((samples[$0] * 8_388_608).rounded())
        }
        let expected =
            Array(101...5000) + [Int](repeating: 0, count: 24_000) + Array(5001...8000)
        let isEqual = found == expected
        #expect(isEqual, "\(found.count) of \(expected.count), first \(found.first ?? 0)")
    }

    @Test func `audio and video stay together from any start`() async throws {
        let format = AudioFormat.mono(sampleRate: 48_000)
        let video = AssetWriterInput(video: WritingSupport.settings(.h264))
        let audio = AssetWriterInput(audio: AudioOutputSettings(codec: .aac, format: format))
        let url = folder.appending("out.mp4")
        let start = MediaTime(value: 7, timescale: 1)
        let writer = try WritingSupport.started(url, [video, audio], at: start)
        for number in 0..<25 {
            try await video.append(
                WritingSupport.gray(number), at: start + WritingSupport.time(number))
            try await audio.append(
                WritingSupport.count(
                    from: number * 1920, 1920, at: start + WritingSupport.time(number),
                    format: format))
        }
        try await writer.finishWriting()
        let frames = try WritingSupport.frames(url)
        #expect(frames.map(\.presentationTime) == (0..<25).map { WritingSupport.time($0) })
        // The encoder's priming is cut off by the edit list.
        #expect(try WritingSupport.samples(url, format: format).count == 48_000)
    }
}

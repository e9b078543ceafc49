// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadWriting

/// Samples and settings that a writer refuses, and files without them.
@Suite struct WriterRefusalTests {
    private let folder = TemporaryFolder()

    @Test func `samples that do not fit are refused, and the file is written without them`()
        async throws
    {
        let format = AudioFormat.mono(sampleRate: 48_000)
        let video = AssetWriterInput(video: WritingSupport.settings())
        let audio = AssetWriterInput(audio: AudioOutputSettings(codec: .pcm24, format: format))
        let writer = try WritingSupport.started(
            folder.appending("out.mkv"), [video, audio], at: nil)
        func code(_ body: () async throws -> Void) async -> MediaWritingError.Code? {
            await WritingSupport.code(body)
        }
        #expect(
            await code { try await video.append(WritingSupport.gray(0), at: .zero) } == .noSession)
        try writer.startSession(atSourceTime: .zero)
        try await video.append(WritingSupport.gray(0), at: WritingSupport.time(1))
        #expect(
            await code { try await video.append(WritingSupport.gray(1), at: .zero) } == .outOfOrder)
        let large = WritingSupport.gray(0, width: 128)
        #expect(
            await code { try await video.append(large, at: WritingSupport.time(2)) } == .wrongFormat
        )
        for value in [Float.nan, .infinity, -.infinity] {
            let unordinary = AudioBuffer(
                format: format, presentationTime: .zero, frameCount: 480
            ) { $0[100] = value }
            #expect(await code { try await audio.append(unordinary) } == .invalidSample)
        }
        let stereo = AudioBuffer(
            format: .stereo(sampleRate: 48_000), presentationTime: .zero, frameCount: 480
        ) { _ in }
        #expect(await code { try await audio.append(stereo) } == .wrongFormat)
        #expect(
            await code { try await audio.append(WritingSupport.gray(0), at: .zero) } == .wrongFormat
        )
        try await audio.append(
            AudioBuffer(format: format, presentationTime: .zero, frameCount: 480) { _ in })
        try await writer.finishWriting()
        #expect(
            await code {
                try await video.append(WritingSupport.gray(0), at: WritingSupport.time(3))
            }
                == .wrongState)
        #expect(try WritingSupport.frames(folder.appending("out.mkv")).count == 1)
    }

    @Test func `nothing appended is an error and no file`() async throws {
        let input = AssetWriterInput(video: WritingSupport.settings())
        let writer = try WritingSupport.started(folder.appending("out.mkv"), [input])
        #expect(await WritingSupport.code { try await writer.finishWriting() } == .noSamples)
        #expect(!FileManager.default.fileExists(atPath: folder.appending("out.mkv").path))
    }

    @Test func `codecs that a container does not store are refused at the start`() async {
        func start(_ name: String, _ settings: VideoOutputSettings) throws {
            _ = try WritingSupport.started(
                folder.appending(name), [AssetWriterInput(video: settings)])
        }
        for (name, codec) in [("out.webm", VideoCodecType.h264), ("out.mp4", .ffv1)] {
            #expect(
                await WritingSupport.code {
                    try start(name, WritingSupport.settings(codec))
                } == .unsupportedFormat, "\(name)")
        }
        #expect(
            await WritingSupport.code {
                try start("out.wav", WritingSupport.settings())
            } == .unsupportedFormat)
        #expect(
            await WritingSupport.code {
                var settings = WritingSupport.settings(.h264)
                settings.preset = "lightning"
                try start("out.mp4", settings)
            } == .unsupportedFormat)
    }

    @Test func `frames are refused that a container stores at the same time`() async throws {
        for (name, expected) in [("out.mkv", MediaWritingError.Code.outOfOrder), ("out.mov", nil)] {
            var settings = WritingSupport.settings(name.hasSuffix("mkv") ? .ffv1 : .motionJPEG)
            settings.mediaTimeScale = 90_000
            let input = AssetWriterInput(video: settings)
            let writer = try WritingSupport.started(folder.appending(name), [input])
            try await input.append(WritingSupport.gray(0), at: .zero)
            let tick = MediaTime(value: 1, timescale: 90_000)
            #expect(
                await WritingSupport.code {
                    try await input.append(WritingSupport.gray(1), at: tick)
                }
                    == expected)
            try await input.append(WritingSupport.gray(2), at: WritingSupport.time(1))
            try await writer.finishWriting()
            let frames = try WritingSupport.frames(folder.appending(name))
            #expect(frames.count == (expected == nil ? 3 : 2))
        }
    }

    @Test func `the frame that reaches into a session is dropped if less than a unit is left`()
        async throws
    {
        let input = AssetWriterInput(video: WritingSupport.settings())
        let writer = try WritingSupport.started(
            folder.appending("out.mkv"), [input], at: WritingSupport.time(1))
        let shift = MediaTime(value: 1, timescale: 10_000)
        for number in 0..<4 {
            try await input.append(
                WritingSupport.gray(number), at: WritingSupport.time(number) + shift)
        }
        try await writer.finishWriting()
        let frames = try WritingSupport.frames(folder.appending("out.mkv"))
        #expect(frames.map { WritingSupport.number($0) } == [1, 2, 3])
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadWriting

/// Inputs that receive less than a usual one, or receive it from several threads or too late.
@Suite struct UnusualInputTests {
    private let folder = TemporaryFolder()
    private let format = AudioFormat.mono(sampleRate: 48_000)

    private func code(_ body: () async throws -> Void) async -> MediaWritingError.Code? {
        await WritingSupport.code(body)
    }

    @Test(arguments: [
        ("out.mp4", VideoCodecType.h264, AudioCodecType.aac), ("out.mkv", .ffv1, .flac),
    ])
    func `a file whose video input gets no frame has all of its audio`(
        name: String, codec: VideoCodecType, audioCodec: AudioCodecType
    ) async throws {
        let url = folder.appending(name)
        let video = AssetWriterInput(video: WritingSupport.settings(codec))
        let audio = AssetWriterInput(audio: AudioOutputSettings(codec: audioCodec, format: format))
        let writer = try WritingSupport.started(url, [video, audio])
        // More than the queue of the input holds.
        for number in 0..<40 {
            try await audio.append(
                WritingSupport.count(
                    from: number * 48_000, 48_000, at: WritingSupport.time(number * 25),
                    format: format))
        }
        try await writer.finishWriting()
        #expect(try WritingSupport.samples(url, format: format).count == 40 * 48_000)
    }

    @Test func `a file whose audio input gets no samples has all of its frames`() async throws {
        let url = folder.appending("out.mp4")
        let video = AssetWriterInput(video: WritingSupport.settings(.h264))
        let audio = AssetWriterInput(audio: AudioOutputSettings(codec: .aac, format: format))
        let writer = try WritingSupport.started(url, [audio, video])
        try await WritingSupport.append(50, to: video)
        try await writer.finishWriting()
        #expect(try WritingSupport.frames(url).count == 50)
    }

    @Test func `inputs that all stay empty are an error and no file`() async throws {
        let url = folder.appending("out.mp4")
        let video = AssetWriterInput(video: WritingSupport.settings(.h264))
        let audio = AssetWriterInput(audio: AudioOutputSettings(codec: .aac, format: format))
        let writer = try WritingSupport.started(url, [video, audio])
        try video.markAsFinished()
        #expect(await code { try await writer.finishWriting() } == .noSamples)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test(arguments: [VideoCodecType.motionJPEG, .h264, .hevc])
    func `settings that no video can have end in an error, or in a file`(
        codec: VideoCodecType
    ) async throws {
        let url = folder.appending("out.mov")
        var settings = WritingSupport.settings(codec)
        settings.rateFactor = .max
        settings.maximumBitRate = .max
        settings.masteringDisplayColorVolume = MasteringDisplayColorVolume(
            chromaticities: Chromaticities(
                red: [.infinity, 1e9], green: [.nan, -1e9], blue: [0.1, 0.2], white: [0.3, 0.3]),
            maximumLuminance: .infinity, minimumLuminance: .nan)
        let input = AssetWriterInput(video: settings)
        let code = await code {
            let writer = try WritingSupport.started(url, [input])
            try await input.append(WritingSupport.gray(0), at: WritingSupport.time(0))
            try await writer.finishWriting()
        }
        if code == nil { #expect(try WritingSupport.frames(url).count == 1) }
    }

    @Test func `what lies after the end of a session is no error and not in the file`()
        async throws
    {
        let url = folder.appending("out.mkv")
        let video = AssetWriterInput(video: WritingSupport.settings())
        let audio = AssetWriterInput(audio: AudioOutputSettings(codec: .pcm24, format: format))
        let writer = try WritingSupport.started(url, [video, audio])
        try writer.endSession(atSourceTime: WritingSupport.time(10))
        for number in 0..<20 {
            let time = WritingSupport.time(number)
            try await video.append(WritingSupport.gray(number), at: time)
            try await audio.append(
                WritingSupport.count(from: number * 1920, 1920, at: time, format: format))
        }
        try await writer.finishWriting()
        #expect(
            try WritingSupport.frames(url).map { WritingSupport.number($0) } == Array(0..<10))
        #expect(try WritingSupport.samples(url, format: format).count == 10 * 1920)
    }

    @Test func `an input that belongs to no writer, or to another, is refused`() async throws {
        let input = AssetWriterInput(video: WritingSupport.settings())
        await #expect(throws: MediaWritingError.self) {
            try await input.append(WritingSupport.gray(0), at: .zero)
        }
        let writer = try WritingSupport.started(folder.appending("one.mkv"), [input])
        let late = AssetWriterInput(video: WritingSupport.settings())
        #expect(await code { try writer.add(late) } == .wrongState)
        // The input that was refused is free, and the writer that refused one is as before.
        let url = folder.appending("other.mkv")
        let other = try WritingSupport.writer(url)
        #expect(await code { try other.add(input) } == .wrongState)
        try WritingSupport.start(other, [late])
        try await late.append(WritingSupport.gray(0), at: .zero)
        try await other.finishWriting()
        #expect(try WritingSupport.frames(url).count == 1)
        writer.cancelWriting()
    }

    @Test func `frames of a format that is not converted are refused with a remedy`() async throws {
        let input = AssetWriterInput(video: WritingSupport.settings())
        let writer = try WritingSupport.started(folder.appending("out.mkv"), [input])
        let bright = WritingSupport.frame(
            .yuv420p,
            color: ColorAttachments(matrix: .bt709, range: .limited, transfer: .pq)
        ) { _, _, _ in 128 }
        #expect(await code { try await input.append(bright, at: .zero) } == .wrongFormat)
        let other = WritingSupport.frame(
            .yuv420p,
            color: ColorAttachments(matrix: .bt2020NonConstantLuminance, range: .limited)
        ) { _, _, _ in 128 }
        #expect(await code { try await input.append(other, at: .zero) } == .wrongFormat)
        // A refused frame changes nothing.
        try await input.append(WritingSupport.gray(0), at: .zero)
        try await writer.finishWriting()
        #expect(try WritingSupport.frames(folder.appending("out.mkv")).count == 1)
    }

    @Test func `four threads that each append to an input of their own are interleaved`()
        async throws
    {
        let url = folder.appending("out.mkv")
        let videos = (0..<2).map { _ in AssetWriterInput(video: WritingSupport.settings()) }
        let audios = (0..<2).map { _ in
            AssetWriterInput(audio: AudioOutputSettings(codec: .flac, format: format))
        }
        let writer = try WritingSupport.started(url, videos + audios)
        let sound = format
        try await withThrowingTaskGroup(of: Void.self) { group in
            for input in videos {
                group.addTask {
                    try await WritingSupport.append(50, to: input)
                    try input.markAsFinished()
                }
            }
            for input in audios {
                group.addTask {
                    for number in 0..<50 {
                        try await input.append(
                            WritingSupport.count(
                                from: number * 1920, 1920, at: WritingSupport.time(number),
                                format: sound))
                    }
                    try input.markAsFinished()
                }
            }
            try await group.waitForAll()
        }
        try await writer.finishWriting()
        let demuxer = try WritingSupport.asset(url).openDemuxer(cancellation: Cancellation())
        let tracks = demuxer.description.tracks
        #expect(tracks.count == 4)
        demuxer.selectTracks(Set(tracks.map(\.id)))
        var last = MediaTime.zero
        var frames: [Int: Int] = [:]
        while let packet = try demuxer.readPacket() {
            #expect(packet.orderTime >= last)
            last = max(last, packet.orderTime)
            frames[packet.trackID, default: 0] += 1
        }
        for track in tracks.filter({ $0.mediaType == .video }) { #expect(frames[track.id] == 50) }
        #expect(try WritingSupport.frames(url).map { WritingSupport.number($0) } == Array(0..<50))
        #expect(try WritingSupport.samples(url, format: format).count == 50 * 1920)
    }
}

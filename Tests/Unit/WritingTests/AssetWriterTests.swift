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

/// Files that a writer makes, read back.
@Suite struct AssetWriterTests {
    private let folder = TemporaryFolder()

    private func started(
        _ name: String, _ inputs: [AssetWriterInput],
        configure: (AssetWriter) -> Void = { _ in }
    ) throws -> AssetWriter {
        let writer = try WritingSupport.writer(folder.appending(name))
        configure(writer)
        for input in inputs { try writer.add(input) }
        try writer.startWriting()
        return writer
    }

    // MARK: Frames

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
        let writer = try started("out.mkv", [input])
        try writer.startSession(atSourceTime: .zero)
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
        let writer = try started("ramp.mkv", [input])
        try writer.startSession(atSourceTime: .zero)
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
        let writer = try started(name, [input])
        try writer.startSession(atSourceTime: .zero)
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
        let writer = try started("out.mp4", [input])
        // The session begins within frame 3 and ends within frame 7.
        let half = MediaTime(value: 1, timescale: 50)
        try writer.startSession(atSourceTime: WritingSupport.time(3) + half)
        try writer.endSession(atSourceTime: WritingSupport.time(7) + half)
        for number in 0..<10 {
            try await input.append(WritingSupport.gray(number), at: WritingSupport.time(number))
        }
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
        let writer = try started("out.mkv", [input])
        try writer.startSession(atSourceTime: .zero)
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

    // MARK: Audio

    @Test(arguments: [AudioCodecType.flac, .pcm24, .pcmFloat, .alac])
    func `lossless audio keeps every sample, with gaps as silence`(
        codec: AudioCodecType
    ) async throws {
        let format = AudioFormat.stereo(sampleRate: 48_000)
        let input = AssetWriterInput(audio: AudioOutputSettings(codec: codec, format: format))
        let name = codec == .pcmFloat || codec == .pcm24 ? "out.mov" : "out.mkv"
        let writer = try started(name, [input])
        let start = MediaTime(value: 100, timescale: 48_000)
        try writer.startSession(atSourceTime: start)
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
        let writer = try started("out.mp4", [video, audio])
        let start = MediaTime(value: 7, timescale: 1)
        try writer.startSession(atSourceTime: start)
        for number in 0..<25 {
            try await video.append(
                WritingSupport.gray(number), at: start + WritingSupport.time(number))
            try await audio.append(
                WritingSupport.count(
                    from: number * 1920, 1920, at: start + WritingSupport.time(number),
                    format: format))
        }
        try await writer.finishWriting()
        let url = folder.appending("out.mp4")
        let frames = try WritingSupport.frames(url)
        #expect(frames.map(\.presentationTime) == (0..<25).map { WritingSupport.time($0) })
        // The encoder's priming is cut off by the edit list.
        #expect(try WritingSupport.samples(url, format: format).count == 48_000)
    }

    // MARK: Refusals

    @Test func `samples that do not fit are refused, and the file is written without them`()
        async throws
    {
        let format = AudioFormat.mono(sampleRate: 48_000)
        let video = AssetWriterInput(video: WritingSupport.settings())
        let audio = AssetWriterInput(audio: AudioOutputSettings(codec: .pcm24, format: format))
        let writer = try started("out.mkv", [video, audio])
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
        let writer = try started("out.mkv", [input])
        try writer.startSession(atSourceTime: .zero)
        #expect(await WritingSupport.code { try await writer.finishWriting() } == .noSamples)
        #expect(!FileManager.default.fileExists(atPath: folder.appending("out.mkv").path))
    }

    @Test func `codecs that a container does not store are refused at the start`() async throws {
        for (name, codec) in [("out.webm", VideoCodecType.h264), ("out.mp4", .ffv1)] {
            #expect(
                await WritingSupport.code {
                    _ = try started(
                        name, [AssetWriterInput(video: WritingSupport.settings(codec))])
                } == .unsupportedFormat, "\(name)")
        }
        #expect(
            await WritingSupport.code {
                _ = try started("out.wav", [AssetWriterInput(video: WritingSupport.settings())])
            } == .unsupportedFormat)
        #expect(
            await WritingSupport.code {
                var settings = WritingSupport.settings(.h264)
                settings.preset = "lightning"
                _ = try started("out.mp4", [AssetWriterInput(video: settings)])
            } == .unsupportedFormat)
    }

    @Test func `frames are refused that a container stores at the same time`() async throws {
        for (name, expected) in [("out.mkv", MediaWritingError.Code.outOfOrder), ("out.mov", nil)] {
            var settings = WritingSupport.settings(name.hasSuffix("mkv") ? .ffv1 : .motionJPEG)
            settings.mediaTimeScale = 90_000
            let input = AssetWriterInput(video: settings)
            let writer = try started(name, [input])
            try writer.startSession(atSourceTime: .zero)
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
        let writer = try started("out.mkv", [input])
        try writer.startSession(atSourceTime: WritingSupport.time(1))
        let shift = MediaTime(value: 1, timescale: 10_000)
        for number in 0..<4 {
            try await input.append(
                WritingSupport.gray(number), at: WritingSupport.time(number) + shift)
        }
        try await writer.finishWriting()
        let frames = try WritingSupport.frames(folder.appending("out.mkv"))
        #expect(frames.map { WritingSupport.number($0) } == [1, 2, 3])
    }

    /// No hardware encodes so small a frame.
    @Test func `software replaces a hardware encoder that cannot be opened, with one remark`()
        async throws
    {
        var settings = WritingSupport.settings(.h264, width: 16, height: 16)
        settings.prefersHardware = true
        let input = AssetWriterInput(video: settings)
        let writer = try started("out.mp4", [input])
        #expect(input.remarks.count == 1)
        let remark = try #require(input.remarks.first)
        #expect(remark.hasPrefix("encoding with libx264: "), "\(remark)")
        #expect(!remark.contains("\n"))
        for name in ["h264_nvenc", "h264_vaapi"] { #expect(remark.contains(name), "\(remark)") }
        try writer.startSession(atSourceTime: .zero)
        for number in 0..<3 {
            try await input.append(
                WritingSupport.gray(number, width: 16, height: 16), at: WritingSupport.time(number))
        }
        try await writer.finishWriting()
        #expect(try WritingSupport.frames(folder.appending("out.mp4")).count == 3)
        // Without the preference, and for codecs that no hardware encodes.
        let plain = AssetWriterInput(video: WritingSupport.settings(.h264))
        try started("plain.mp4", [plain]).cancelWriting()
        #expect(plain.remarks.isEmpty)
        settings = WritingSupport.settings(.ffv1)
        settings.prefersHardware = true
        let lossless = AssetWriterInput(video: settings)
        try started("out.mkv", [lossless]).cancelWriting()
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
        let writer = try WritingSupport.writer(folder.appending("out.mp4"))
        writer.discardsOutput = true
        let input = AssetWriterInput(video: settings)
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        for number in 0..<10 {
            try await input.append(WritingSupport.gray(number), at: WritingSupport.time(number))
        }
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
        let writer = try started("out.mp4", [input]) { writer in
            writer.onProcessed { seconds in seen.withLock { $0.append(seconds) } }
        }
        try writer.startSession(atSourceTime: .zero)
        for number in 0..<40 {
            try await input.append(WritingSupport.gray(number), at: WritingSupport.time(number))
        }
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

    /// The writing thread may have written everything before the file is finished.
    @Test func `inputs that are marked as finished do not end the file`() async throws {
        let core = WriterCore(subject: "out.mkv")
        let lane = try core.addLane(
            WritingState.Input(mediaType: .subtitle, isPassthrough: false, timescale: 1000))
        try core.attempt { state throws(MediaWritingError) in
            try state.writing.start()
            try state.writing.startSession(at: .zero)
            try state.writing.markFinished(lane)
        }
        #expect(core.update { $0.takeTurn() == nil })
        try core.attempt { state throws(MediaWritingError) in try state.writing.finish() }
        let turn = try #require(core.update { $0.takeTurn() })
        #expect(turn.packet == nil)
        #expect(core.nextPacket() == nil)
    }

    @Test func `four threads that append to one input keep its order`() async throws {
        let input = AssetWriterInput(video: WritingSupport.settings())
        let writer = try started("out.mkv", [input])
        try writer.startSession(atSourceTime: .zero)
        let accepted = await withTaskGroup(of: [Int].self) { group in
            for task in 0..<4 {
                group.addTask {
                    var accepted: [Int] = []
                    for number in stride(from: task, to: 80, by: 4) {
                        let code = await WritingSupport.code {
                            try await input.append(
                                WritingSupport.gray(number), at: WritingSupport.time(number))
                        }
                        if code == nil { accepted.append(number) }
                        if let code { #expect(code == .outOfOrder) }
                    }
                    return accepted
                }
            }
            var all: [Int] = []
            for await numbers in group { all += numbers }
            return all.sorted()
        }
        try await writer.finishWriting()
        let frames = try WritingSupport.frames(folder.appending("out.mkv"))
        #expect(frames.map { WritingSupport.number($0) } == accepted)
        #expect(!accepted.isEmpty)
    }

    // MARK: Waiting

    @Test func `an input is ready until its queue is full, and a source is asked again`()
        async throws
    {
        let input = AssetWriterInput(video: WritingSupport.settings())
        #expect(!input.isReadyForMoreMediaData)
        let writer = try started("out.mkv", [input])
        try writer.startSession(atSourceTime: .zero)
        #expect(input.isReadyForMoreMediaData)
        let next = MutexCounter()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            input.requestMediaDataWhenReady {
                while next.value < 50 {
                    let number = next.value
                    guard
                        (try? input.tryAppend(
                            WritingSupport.gray(number), at: WritingSupport.time(number))) == true
                    else { return }
                    next.increment()
                }
                try? input.markAsFinished()
                done.resume()
            }
        }
        try await writer.finishWriting()
        #expect(try WritingSupport.frames(folder.appending("out.mkv")).count == 50)
    }

    // MARK: The file

    @Test func `rotation, aspect, language, title, metadata and chapters come back`() async throws {
        for turns in 0..<4 {
            for isMirrored in [false, true] {
                let name = "turn-\(turns)-\(isMirrored).mov"
                let input = AssetWriterInput(
                    video: WritingSupport.settings(.proRes, .init(.yuv422, bitDepth: 10)))
                let orientation = PictureOrientation(quarterTurns: turns, isMirrored: isMirrored)
                input.orientation = orientation
                input.pixelAspectRatio = .init(horizontal: 64, vertical: 45)
                input.languageTag = "de"
                input.title = "Kamera"
                let writer = try started(name, [input]) { writer in
                    writer.metadata = [MetadataItem(key: "title", value: .text("Ein Titel"))]
                    writer.chapters = [
                        Chapter(
                            title: "Eins",
                            timeRange: MediaTimeRange(
                                start: .zero, end: WritingSupport.time(2))),
                        Chapter(
                            title: "Zwei",
                            timeRange: MediaTimeRange(
                                start: WritingSupport.time(2), end: WritingSupport.time(5))),
                    ]
                }
                try writer.startSession(atSourceTime: .zero)
                for number in 0..<5 {
                    try await input.append(
                        WritingSupport.gray(number), at: WritingSupport.time(number))
                }
                try await writer.finishWriting()
                let demuxer = try WritingSupport.asset(folder.appending(name))
                    .openDemuxer(cancellation: Cancellation())
                let description = demuxer.description
                let track = try #require(description.preferredTrack(of: .video))
                #expect(track.preferredTransform == orientation)
                #expect(
                    track.formatDescription.video?.attachments.pixelAspectRatio
                        == .init(horizontal: 64, vertical: 45))
                #expect(track.languageTag.flatMap { LanguageTag($0) } == LanguageTag("de"))
                #expect(
                    description.metadata.filtered(by: .title).first?.stringValue == "Ein Titel")
                #expect(description.chapters.map(\.title) == ["Eins", "Zwei"])
                #expect(description.chapters.last?.timeRange.start == WritingSupport.time(2))
            }
        }
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "ffprobe is missing"))
    func `timecode and subtitles are in the file`() async throws {
        let video = AssetWriterInput(video: WritingSupport.settings(.h264))
        video.timecode = "01:02:03:04"
        let subtitles = AssetWriterInput.subtitles()
        subtitles.languageTag = "fr"
        let writer = try started("out.mp4", [video, subtitles])
        try writer.startSession(atSourceTime: .zero)
        for number in 0..<50 {
            try await video.append(WritingSupport.gray(number), at: WritingSupport.time(number))
        }
        try await subtitles.append(
            "Bonjour\nà tous",
            in: MediaTimeRange(start: WritingSupport.time(5), end: WritingSupport.time(20)))
        try await subtitles.append(
            "Fin", in: MediaTimeRange(start: WritingSupport.time(30), end: WritingSupport.time(40)))
        try await writer.finishWriting()
        let url = folder.appending("out.mp4")
        #expect(
            try WritingSupport.probe(url, "stream_tags=timecode")["TAG:timecode"] == "01:02:03:04")
        let text = try WritingSupport.output([
            "ffmpeg", "-v", "error", "-i", url.path, "-map", "0:s", "-f", "srt", "-",
        ])
        // FFmpeg encloses each cue in the track's font.
        let lines = text.replacing(/<[^>]*>/, with: "").split(whereSeparator: \.isNewline)
        #expect(
            lines == [
                "1", "00:00:00,200 --> 00:00:00,800", "Bonjour", "à tous",
                "2", "00:00:01,200 --> 00:00:01,600", "Fin",
            ])
        #expect(
            try WritingSupport.probe(url, "stream_tags=language", stream: "s:0")["TAG:language"]
                == "fra")
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "ffprobe is missing"))
    func `the index stands before the samples on request`() async throws {
        for isFront in [false, true] {
            let url = folder.appending("front-\(isFront).mp4")
            try await WritingSupport.write(url, codec: .h264) { writer, _ in
                writer.shouldOptimizeForNetworkUse = isFront
            }
            let data = try Data(contentsOf: url)
            let index = try #require(data.range(of: Data("moov".utf8))?.lowerBound)
            let samples = try #require(data.range(of: Data("mdat".utf8))?.lowerBound)
            #expect((index < samples) == isFront)
            #expect(try WritingSupport.frames(url).count == 10)
        }
    }

    @Test func `a file in fragments plays before it is finished`() async throws {
        let url = folder.appending("out.mp4")
        let input = AssetWriterInput(video: WritingSupport.settings(.motionJPEG))
        let writer = try started("out.mp4", [input]) { writer in
            writer.movieFragmentInterval = MediaTime(value: 1, timescale: 1)
        }
        try writer.startSession(atSourceTime: .zero)
        for number in 0..<300 {
            try await input.append(WritingSupport.gray(number), at: WritingSupport.time(number))
        }
        // The encoder holds some frames, one for each core. Fragments begin at frames 0, 25, 50, …
        while writer.writtenTime <= WritingSupport.time(100) {
            try #require(writer.status == .writing)
            await Task.yield()
        }
        let temporary = try #require(writer.temporaryPath)
        let copy = folder.appending("copy.mp4")
        try FileManager.default.copyItem(atPath: temporary, toPath: copy.path)
        #expect(try WritingSupport.frames(copy).count >= 100)
        try await writer.finishWriting()
        #expect(try WritingSupport.frames(url).count == 300)
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is missing"))
    func `compressed samples are stored byte for byte`() async throws {
        let source = folder.appending("source.mp4")
        try await WritingSupport.write(source, count: 60, codec: .h264)
        for name in ["copy.mp4", "copy.mov", "copy.mkv"] {
            let demuxer = try WritingSupport.asset(source).openDemuxer(cancellation: Cancellation())
            let track = try #require(demuxer.description.preferredTrack(of: .video))
            demuxer.selectTracks([track.id])
            let input = AssetWriterInput(
                passthrough: EncodedTrackFormat(
                    mediaType: .video, parameters: demuxer.sampleParameters(of: track),
                    timescale: track.timeUnit.timescale))
            let writer = try started(name, [input])
            try writer.startSession(atSourceTime: .zero)
            while let packet = try demuxer.readPacket() { try await input.append(packet) }
            try await writer.finishWriting()
            let copy = folder.appending(name)
            #expect(
                try WritingSupport.hashes(source, stream: "v")
                    == WritingSupport.hashes(copy, stream: "v"), "\(name)")
            let (before, after) = try (WritingSupport.frames(source), WritingSupport.frames(copy))
            #expect(
                before.map(\.presentationTime) == after.map(\.presentationTime),
                "\(name): \(after.prefix(2).map(\.presentationTime))")
        }
    }
}

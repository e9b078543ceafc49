// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadCompositions
import PlayheadFFmpeg
import PlayheadTime
import Testing

@testable import PlayheadExport
@testable import PlayheadWriting

/// Exports, read back.
@Suite struct AssetExportSessionTests {
    private let folder = TemporaryFolder()
    private let manager = FileManager.default

    private var source: URL { folder.appending("source.mkv") }

    private func contents() throws -> [String] {
        try manager.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    // MARK: What is written

    @Test func `a lossless export keeps every frame, every time and every sample`() async throws {
        try await ExportSupport.write(source) { writer in
            writer.metadata = [MetadataItem(key: "title", text: "Ein Film")]
            writer.chapters = [
                Chapter(title: "Eins", from: .zero, to: ExportSupport.time(10)),
                Chapter(title: "Zwei", from: ExportSupport.time(10), to: ExportSupport.time(25)),
            ]
        }
        let result = folder.appending("out.mkv")
        try await ExportSupport.session(source, .losslessFFV1).export(to: result.path)
        let frames = try ExportSupport.frames(result)
        #expect(frames.map(ExportSupport.number) == Array(40..<65))
        #expect(frames.map(\.presentationTime) == (0..<25).map(ExportSupport.time))
        #expect(try ExportSupport.samples(result) == Array(1...48_000))
        let description = try ExportSupport.description(result)
        #expect(description.metadata.filtered(by: .title).first?.stringValue == "Ein Film")
        #expect(description.chapters.map(\.title) == ["Eins", "Zwei"])
    }

    @Test func `a range starts and ends within frames, to the sample`() async throws {
        try await ExportSupport.write(source) { writer in
            writer.chapters = [
                Chapter(title: "Eins", from: .zero, to: ExportSupport.time(5)),
                Chapter(title: "Zwei", from: ExportSupport.time(5), to: ExportSupport.time(25)),
            ]
        }
        let result = folder.appending("out.mkv")
        let session = ExportSupport.session(source, .losslessFFV1)
        let half = MediaTime(value: 1, timescale: 50)
        session.timeRange = MediaTimeRange(
            start: ExportSupport.time(3) + half, end: ExportSupport.time(7) + half)
        try await session.export(to: result.path)
        let frames = try ExportSupport.frames(result)
        #expect(frames.map(ExportSupport.number) == [43, 44, 45, 46, 47])
        #expect(
            frames.map(\.presentationTime)
                == [.zero] + (0..<4).map { half + ExportSupport.time($0) })
        #expect(try ExportSupport.samples(result) == Array(6721...14_400))
        let chapters = try ExportSupport.description(result).chapters
        #expect(chapters.first?.timeRange.end == ExportSupport.time(2) - half)
    }

    @Test func `a file without video and one without audio are exported`() async throws {
        let silent = folder.appending("silent.mkv")
        try await ExportSupport.write(silent, audioFrames: 0)
        try await ExportSupport.write(source, frames: 0, audioFrames: 10_000)
        let (video, audio) = (folder.appending("video.mkv"), folder.appending("audio.flac"))
        try await ExportSupport.session(silent, .losslessFFV1).export(to: video.path)
        try await ExportSupport.session(source, .audioFLAC).export(to: audio.path)
        #expect(try ExportSupport.frames(video).count == 25)
        #expect(try ExportSupport.samples(audio) == Array(1...10_000))
        #expect(
            await ExportSupport.code {
                try await ExportSupport.session(silent, .appleM4A)
                    .export(to: folder.appending("none.m4a").path)
            } == .noSamples)
    }

    @Test func `presets fit frames into their size and keep the rotation`() async throws {
        let tall = folder.appending("tall.mov")
        try await ExportSupport.write(
            tall, codec: .h264, size: (960, 640), orientation: .init(quarterTurns: 1))
        for (name, size, turns) in [("out.mp4", (640, 426), 1), ("out.mkv", (426, 640), 0)] {
            let result = folder.appending(name)
            var preset = AssetExportPreset.h264_640x480
            preset.rateFactor = 1
            preset.maximumVideoBitRate = nil
            try await ExportSupport.session(tall, preset).export(to: result.path)
            let frame = try #require(try ExportSupport.frames(result).first)
            let buffer = frame.pixelBuffer
            #expect((buffer.width, buffer.height) == size)
            #expect(buffer.attachments.orientation.quarterTurns == turns)
            // The mark is at the upper left as stored, at the upper right as shown.
            let luma = SamplePlane(0, of: buffer)
            let corners = [
                luma.samples[0], luma.samples[luma.width - 1],
                luma.samples[luma.samples.count - luma.width],
            ]
            let marked = turns == 1 ? 0 : 1
            for (index, corner) in corners.enumerated() {
                #expect(abs(Int(corner) - (index == marked ? 80 : 40)) <= 2, "corner \(index)")
            }
        }
    }

    // MARK: Compositions

    @Test func `a composition is exported with its cuts, black in its gaps, and the sum of audio`()
        async throws
    {
        let other = folder.appending("other.mkv")
        try await ExportSupport.write(source)
        try await ExportSupport.write(other, first: 100, step: 10)
        let composition = MutableComposition()
        let (a, b) = (ExportSupport.asset(source), ExportSupport.asset(other))
        let (tracks, others) = (try await a.load(.tracks), try await b.load(.tracks))
        let video = try composition.addMutableTrack(withMediaType: .video)
        let firstAudio = try composition.addMutableTrack(withMediaType: .audio)
        let secondAudio = try composition.addMutableTrack(withMediaType: .audio)
        func range(_ start: Int, _ end: Int) -> MediaTimeRange {
            MediaTimeRange(start: ExportSupport.time(start), end: ExportSupport.time(end))
        }
        try video.insertTimeRange(range(5, 8), of: tracks[0], in: a, at: .zero)
        try video.insertEmptyTimeRange(range(3, 5))
        try video.insertTimeRange(
            range(20, 22), of: others[0], in: b, at: ExportSupport.time(5))
        try firstAudio.insertTimeRange(range(0, 7), of: tracks[1], in: a, at: .zero)
        try secondAudio.insertEmptyTimeRange(range(0, 2))
        try secondAudio.insertTimeRange(
            range(1, 4), of: others[1], in: b, at: ExportSupport.time(2))
        let result = folder.appending("out.mkv")
        try await ExportSupport.session(composition.makeAsset(), .losslessFFV1)
            .export(to: result.path)
        let frames = try ExportSupport.frames(result)
        #expect(frames.map(ExportSupport.number) == [45, 46, 47, 16, 120, 121])
        #expect(
            frames.map(\.presentationTime) == [0, 1, 2, 3, 5, 6].map(ExportSupport.time))
        let expected = (0..<13_440).map { index -> Int in
            let second = (3840..<9600).contains(index) ? (index - 3840 + 1920 + 1) * 10 : 0
            return index + 1 + second
        }
        let samples = try ExportSupport.samples(result)
        let isEqual = samples == expected
        #expect(isEqual, "\(samples.count) of \(expected.count)")
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `audio that overlaps the previous audio is dropped, and gaps are silence`() async throws {
        let count = folder.appending("count.mkv")
        try await ExportSupport.write(count, frames: 0, audioFrames: ExportSupport.rate)
        let (packets, shifted) = (folder.appending("packets.mkv"), folder.appending("shifted.mkv"))
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", count.path, "-c:a", "pcm_s24le", packets.path,
        ])
        // Packets begin 50 ms too early from 0.3 s on, and 100 ms too late from 0.6 s on.
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", packets.path, "-c", "copy", "-bsf:a",
            "setts=ts='PTS-50*gt(PTS,300)+150*gt(PTS,600)'", shifted.path,
        ])
        let result = folder.appending("out.mkv")
        try await ExportSupport.session(shifted, .losslessFFV1).export(to: result.path)
        let samples = try ExportSupport.samples(result)
        // Nothing is heard twice: numbers only rise, except for silence.
        let heard = samples.filter { $0 != 0 }
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 < $1 })
        #expect(heard.count > ExportSupport.rate * 9 / 10)
        let silence = samples.count - heard.count
        #expect(
            abs(silence - ExportSupport.rate * 15 / 100) < ExportSupport.rate / 10, "\(silence)")
    }

    @Test func `a mix sets the volume of each track`() async throws {
        try await ExportSupport.write(source, frames: 0, audioFrames: 48_000, step: 8)
        var parameters = AudioMixInputParameters()
        parameters.setVolume(0.5)
        let session = ExportSupport.session(source, .audioFLAC)
        session.audioMix = AudioMix(inputParameters: [parameters])
        let result = folder.appending("out.flac")
        try await session.export(to: result.path)
        #expect(try ExportSupport.samples(result) == (1...48_000).map { $0 * 4 })
    }

    // MARK: Passthrough

    @Test(
        .enabled(if: SyntheticClip.isAvailable, "ffmpeg is missing"),
        arguments: ["out.mp4", "out.mov", "out.mkv"])
    func `passthrough copies every packet`(name: String) async throws {
        let clip = folder.appending("clip.mp4")
        try await ExportSupport.write(clip, frames: 60, codec: .h264)
        let result = folder.appending(name)
        try await ExportSupport.session(clip, .passthrough).export(to: result.path)
        for stream in ["v:0", "a:0"] {
            // The first packet of audio is the encoder's priming. Without an edit list it would be
            // heard.
            let isDropped = stream == "a:0" && name == "out.mkv"
            let old = try ExportSupport.hashes(clip, stream: stream).dropFirst(isDropped ? 1 : 0)
            let new = try ExportSupport.hashes(result, stream: stream)
            let isEqual = new == Array(old)
            #expect(isEqual, "\(stream): \(new.count) of \(old.count) packets")
        }
        let frames = try ExportSupport.frames(result)
        #expect(frames.map(ExportSupport.number) == Array(40..<100))
        #expect(frames.map(\.presentationTime) == (0..<60).map(ExportSupport.time))
    }

    @Test func `passthrough begins and ends at the exact frames of a range`() async throws {
        let clip = folder.appending("clip.mp4")
        try await ExportSupport.write(clip, frames: 60, codec: .h264)
        // Among the frames at the end are some from which earlier ones are decoded.
        for end in 41...46 {
            let result = folder.appending("out-\(end).mp4")
            let session = ExportSupport.session(clip, .passthrough)
            session.shouldOptimizeForNetworkUse = end % 2 == 0
            session.timeRange = MediaTimeRange(
                start: ExportSupport.time(20), end: ExportSupport.time(end))
            try await session.export(to: result.path)
            let frames = try ExportSupport.frames(result)
            #expect(frames.map(ExportSupport.number) == Array(60..<(40 + end)))
            #expect(
                frames.map(\.presentationTime) == (0..<(end - 20)).map(ExportSupport.time))
            let description = try ExportSupport.description(result)
            #expect(description.duration == ExportSupport.time(end - 20))
        }
    }

    // MARK: Progress and ends

    @Test func `progress never goes back, and the last state is that of completion`()
        async throws
    {
        try await ExportSupport.write(source, frames: 100)
        let session = ExportSupport.session(source, .losslessFFV1)
        #expect(session.state == .pending)
        let states = Task {
            var states: [AssetExportSession.State] = []
            for await state in session.states(updateInterval: MediaTime.zero) {
                states.append(state)
            }
            return states
        }
        try await session.export(to: folder.appending("out.mkv").path)
        #expect(session.state == .completed)
        let seen = await states.value
        #expect(seen.last == .completed)
        let values = seen.compactMap { state -> Double? in
            if case .exporting(let progress) = state { progress } else { nil }
        }
        #expect(values == values.sorted())
        #expect(values.allSatisfy { (0..<1).contains($0) })
        let again = await ExportSupport.code {
            try await session.export(to: folder.appending("again.mkv").path)
        }
        #expect(again == .wrongState)
    }

    @Test func `the states of an export that is refused end with the error`() async throws {
        let session = ExportSupport.session(source, .passthrough)
        let states = session.states()
        let code = await ExportSupport.code { try await session.export(to: "film.unknown") }
        #expect(code == .unsupportedFormat)
        var last: AssetExportSession.State?
        for await state in states { last = state }
        guard case .failed(let error) = last else {
            Issue.record("the last state is \(String(describing: last))")
            return
        }
        #expect(error.code == .unsupportedFormat)
    }

    @Test func `a cancelled export leaves nothing, and the old file`() async throws {
        try await ExportSupport.write(source, frames: 100)
        let result = folder.appending("out.mkv")
        try Data("old".utf8).write(to: result)
        for isByTask in [false, true] {
            let session = ExportSupport.session(source, .losslessFFV1)
            session.replacesExistingFile = true
            let states = session.states(updateInterval: MediaTime.zero)
            let export = Task { try await session.export(to: result.path) }
            // In the middle: as soon as something is in the file.
            for await state in states {
                if case .exporting(let progress) = state, progress > 0 { break }
            }
            if isByTask { export.cancel() } else { session.cancelExport() }
            let code = await ExportSupport.code { try await export.value }
            // An export may be quicker than its cancellation; then it is complete.
            if code == nil {
                #expect(session.state == .completed)
                #expect(try ExportSupport.frames(result).count == 100)
                try Data("old".utf8).write(to: result)
            } else {
                #expect(code == .cancelled)
                #expect(session.state == .cancelled)
                #expect(try Data(contentsOf: result) == Data("old".utf8))
            }
            #expect(try contents() == ["out.mkv", "source.mkv"])
        }
    }

    @Test func `an export that is cancelled before it begins writes nothing`() async throws {
        try await ExportSupport.write(source)
        let session = ExportSupport.session(source, .losslessFFV1)
        session.cancelExport()
        #expect(session.state == .cancelled)
        let code = await ExportSupport.code {
            try await session.export(to: folder.appending("out.mkv").path)
        }
        #expect(code == .cancelled)
        #expect(try contents() == ["source.mkv"])
    }

    // MARK: Size

    @Test func `a file does not exceed its maximum size, or is refused before it is begun`()
        async throws
    {
        let noise = folder.appending("noise.mkv")
        let writer = try AssetWriter(path: noise.path, engine: FFmpegWritingEngine())
        let input = AssetWriterInput(
            video: VideoOutputSettings(
                codec: .ffv1, width: 160, height: 120, sampleFormat: .init(.yuv420),
                frameDuration: ExportSupport.time(1)))
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: MediaTime.zero)
        var random = SplitMix64(seed: 7)
        for number in 0..<250 {
            let frame = PixelBuffer(format: .yuv420p, width: 160, height: 120) { _, bytes, _ in
                for index in bytes.indices {
                    bytes[index] = UInt8.random(in: 30...220, using: &random)
                }
            }
            try await input.append(frame, at: ExportSupport.time(number))
        }
        try await writer.finishWriting()
        let limit: Int64 = 200_000
        let result = folder.appending("out.mp4")
        let session = ExportSupport.session(noise, .highestQuality)
        session.fileLengthLimit = limit
        #expect(try await session.estimateOutputFileLength() ?? .max <= limit)
        try await session.export(to: result.path)
        let size = try #require(
            try manager.attributesOfItem(atPath: result.path)[.size] as? Int64)
        #expect(size <= limit)
        #expect(size > limit / 2)
        for (preset, limit) in [
            (AssetExportPreset.highestQuality, 20_000), (.proRes422LPCM, 200_000),
        ] {
            let session = ExportSupport.session(noise, preset)
            session.fileLengthLimit = Int64(limit)
            let other = folder.appending("other.mov")
            #expect(
                await ExportSupport.code { try await session.export(to: other.path) }
                    == .maximumSizeExceeded)
            #expect(!manager.fileExists(atPath: other.path))
        }
    }

    // MARK: Refusals

    @Test func `exports that cannot be made are refused, and leave no file`() async throws {
        try await ExportSupport.write(source)
        let composition = MutableComposition()
        try await composition.insertTimeRange(
            MediaTimeRange(start: .zero, end: ExportSupport.time(25)),
            of: ExportSupport.asset(source), at: .zero)
        func code(
            _ preset: AssetExportPreset, _ name: String, asset: Asset? = nil,
            configure: (AssetExportSession) -> Void = { _ in }
        ) async -> MediaWritingError.Code? {
            let session =
                asset.map { ExportSupport.session($0, preset) }
                ?? ExportSupport.session(source, preset)
            configure(session)
            return await ExportSupport.code {
                try await session.export(to: folder.appending(name).path)
            }
        }
        #expect(await code(.losslessFFV1, "out.mp4") == .unsupportedFormat)
        #expect(await code(.losslessFFV1, "out.xyz") == .unsupportedFormat)
        #expect(await code(.passthrough, "out.gif") == .unsupportedFormat)
        let old = folder.appending("old.mkv")
        try Data("old".utf8).write(to: old)
        #expect(await code(.losslessFFV1, "old.mkv") == .fileExists)
        #expect(
            await code(.losslessFFV1, "source.mkv") { $0.replacesExistingFile = true }
                == .outputIsInput)
        #expect(await code(.losslessFFV1, "missing/out.mkv") == .cannotCreate)
        try manager.createDirectory(
            at: folder.appending("folder.mkv"), withIntermediateDirectories: false)
        #expect(mkfifo(folder.appending("pipe.mkv").path, 0o600) == 0)
        for name in ["folder.mkv", "pipe.mkv"] {
            for preset in [AssetExportPreset.losslessFFV1, .passthrough] {
                #expect(
                    await code(preset, name) { $0.replacesExistingFile = true } == .cannotCreate)
            }
        }
        #expect(
            await code(.losslessFFV1, "out.mkv") {
                $0.timeRange = MediaTimeRange(
                    start: ExportSupport.time(100), end: ExportSupport.time(200))
            } == .noSamples)
        #expect(
            await code(.passthrough, "out.mkv", asset: composition.makeAsset())
                == .unsupportedFormat)
        #expect(
            await code(
                .losslessFFV1, "out.mkv", asset: ExportSupport.asset(folder.appending("none.mkv")))
                == .unreadable)
        #expect(
            await code(.losslessFFV1, "out.mkv") {
                var parameters = AudioMixInputParameters()
                parameters.taps = [AudioProcessingTap()]
                $0.audioMix = AudioMix(inputParameters: [parameters])
            } == .unsupportedFormat)
        #expect(try contents() == ["folder.mkv", "old.mkv", "pipe.mkv", "source.mkv"])
        #expect(try Data(contentsOf: old) == Data("old".utf8))
    }

    @Test func `compatibility is known before an export`() async throws {
        try await ExportSupport.write(source, frames: 0, audioFrames: 4800)
        let sound = ExportSupport.session(source, .appleM4A)
        #expect(await sound.isCompatible(with: .m4a))
        #expect(await !sound.isCompatible(with: .mp4))
        #expect(await !ExportSupport.session(source, .highestQuality).isCompatible(with: .mp4))
        #expect(await ExportSupport.session(source, .passthrough).isCompatible(with: .matroska))
        let missing = ExportSupport.session(folder.appending("none.mkv"), .appleM4A)
        #expect(await !missing.isCompatible(with: .m4a))
    }
}

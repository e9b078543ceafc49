// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadWriting

/// Metadata, subtitles, indexes, fragments and compressed samples of files that a writer makes.
@Suite struct WrittenContentTests {
    private let folder = TemporaryFolder()

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
                let writer = try WritingSupport.started(folder.appending(name), [input]) { writer in
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
                try await WritingSupport.append(5, to: input)
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
        let writer = try WritingSupport.started(folder.appending("out.mp4"), [video, subtitles])
        try await WritingSupport.append(50, to: video)
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
        let writer = try WritingSupport.started(folder.appending("out.mp4"), [input]) { writer in
            writer.movieFragmentInterval = MediaTime(value: 1, timescale: 1)
        }
        try await WritingSupport.append(300, to: input)
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
            let writer = try WritingSupport.started(folder.appending(name), [input])
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

// SPDX-License-Identifier: Apache-2.0

import CompositionTestSupport
import Foundation
import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadEditing
import PlayheadImages
import PlayheadTime
import PlayheadVideoCompositions
import Testing

@testable import PlayheadComposing

/// A reader, an image generator and an export give the same pictures.
@Suite(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct EqualityTests {
    /// Reads all pictures of a range.
    private func read(_ output: AssetReaderVideoCompositionOutput) throws -> [ComposedPicture] {
        try ComposedPicture.all { try output.copyNextSampleBuffer() }
    }

    @Test(arguments: [(1, 8), (2, 3)] as [(UInt64, Int)])
    func `each tile shows the frame of its track at every time, also after seeks`(
        seed: UInt64, trackCount: Int
    ) throws {
        var random = SplitMix64(seed: seed)
        var made = try RandomComposition(
            &random, trackCount: trackCount, seconds: 1.5, rate: 20)
        made.addTiles()
        let reader = try AssetReader(asset: made.composition.makeAsset())
        let output = try reader.addVideoCompositionOutput(made.videoComposition)
        func check(_ picture: ComposedPicture) {
            for (index, id) in made.trackIDs.enumerated() {
                let corner = picture.image.codes(index % 2 * 256, index / 2 * 32)
                // The grey of the background is in no frame's strip.
                let found =
                    abs(corner.x - 128) <= 1
                    ? nil
                    : picture.image.bytes.withUnsafeBytes {
                        FrameNumberStrip.read(
                            fromRGBA: $0, width: picture.image.width,
                            height: picture.image.height,
                            picture: FrameNumberStrip.Area(
                                x: Double(index % 2 * 256), y: Double(index / 2 * 32), width: 256,
                                height: 32), sourceWidth: 256, sourceHeight: 32)
                    }
                #expect(
                    found == made.number(of: id, at: picture.time),
                    "track \(id) at \(picture.time)")
            }
        }
        let pictures = try read(output)
        #expect(pictures.count == Int((made.composition.duration.seconds * 20).rounded(.up)))
        for (index, picture) in pictures.enumerated() {
            #expect(picture.time == MediaTime(value: Int64(index), timescale: 20))
            check(picture)
        }
        for _ in 0..<3 {
            let start = MediaTime(
                value: Int64.random(in: 0..<900, using: &random), timescale: 600)
            reader.restart(
                timeRange: MediaTimeRange(
                    start: start, duration: MediaTime(value: 1, timescale: 5)))
            let some = try read(output)
            #expect(some.first?.time == start)
            for picture in some { check(picture) }
        }
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `pictures read, generated and exported are equal in every pixel`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        var made = try RandomComposition(
            &random, trackCount: Int.random(in: 1...8, using: &random), seconds: 1, rate: 25)
        made.addRandomInstructions(&random)
        let asset = made.composition.makeAsset()
        let reader = try AssetReader(asset: asset)
        let output = try reader.addVideoCompositionOutput(made.videoComposition)
        let pictures = try read(output)

        let generator = ImageGenerator(
            asset: asset, videoComposition: made.videoComposition, options: .exact)
        for _ in 0..<10 {
            let picture = pictures[Int.random(in: 0..<pictures.count, using: &random)]
            let inside = picture.duration.multiplied(by: 2, over: 3)
            let image = try generator.copyImage(at: picture.time + inside)
            #expect(image.actualTime == picture.time)
            #expect(image.image.bytes == picture.image.bytes, "\(picture.time)")
        }

        let folder = TemporaryFolder()
        let file = folder.appending("out.mkv")
        let session = AssetExportSession(asset: asset, preset: .losslessFFV1)
        session.videoComposition = made.videoComposition
        try await session.export(to: file.path)
        let written = try AssetReader(asset: URLAsset(url: file)).addVideoOutput()
        var count = 0
        while let frame = try written.copyNextSampleBuffer() {
            guard count < pictures.count else { break }
            #expect(
                abs((frame.presentationTime - pictures[count].time).seconds) < 0.001)
            #expect(frame.pixelBuffer.format.model == .rgb)
            #expect(
                ComposedPicture.image(frame.pixelBuffer).bytes == pictures[count].image.bytes,
                "\(pictures[count].time)")
            count += 1
        }
        #expect(count == pictures.count)
    }

    @Test func `a composition that needs no compositing passes decoded frames through`() throws {
        var media = SyntheticMedia()
        (media.width, media.height) = (256, 32)
        let asset = SyntheticAsset(media)
        let reader = try AssetReader(asset: asset)
        let composition = VideoComposition(propertiesOf: reader.description)
        let output = try reader.addVideoCompositionOutput(composition)
        let plain = try AssetReader(asset: asset).addVideoOutput()
        var count = 0
        while let frame = try output.copyNextSampleBuffer() {
            let expected = try plain.copyNextSampleBuffer()
            #expect(frame.pixelBuffer.format == .yuv420p)
            #expect(frame.presentationTime == expected?.presentationTime)
            #expect(frame.duration == expected?.duration)
            #expect(FrameNumberStrip.read(from: frame.pixelBuffer) == count)
            count += 1
        }
        #expect(count == 60)
    }

    @Test func `a timing track gives its times, and the grid where it shows nothing`() throws {
        let composition = MutableComposition()
        let asset = SyntheticAsset(
            SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    frameDuration: MediaTime(value: 1, timescale: 10), count: 10), sounds: []))
        let track = try composition.addMutableTrack(withMediaType: .video)
        let source = try AssetReader(asset: asset).description.tracks[0]
        func tenths(_ start: Int64, _ end: Int64) -> MediaTimeRange {
            MediaTimeRange(
                start: MediaTime(value: start, timescale: 10),
                end: MediaTime(value: end, timescale: 10))
        }
        try track.insertTimeRange(tenths(0, 2), of: source, in: asset, at: .zero)
        try track.insert([.empty(duration: MediaTime(value: 3, timescale: 10))], at: .invalid)
        try track.insertTimeRange(
            tenths(2, 4), of: source, in: asset, at: MediaTime(value: 5, timescale: 10))
        var rules = VideoComposition(
            renderSize: (64, 36), frameDuration: MediaTime(value: 1, timescale: 8))
        rules.sourceTrackIDForFrameTiming = track.trackID
        rules.instructions = [
            VideoCompositionInstruction(timeRange: tenths(0, 7))
        ]
        let made = composition.makeAsset()
        let output = try AssetReader(asset: made).addVideoCompositionOutput(rules)
        let pictures = try read(output)
        // 0.25 and 0.375 are of the grid; the second frame ends at 0.2.
        #expect(
            pictures.map(\.time.seconds) == [0, 0.1, 0.2, 0.25, 0.375, 0.5, 0.6])
        let generator = ImageGenerator(asset: made, videoComposition: rules, options: .exact)
        for (asked, actual) in [(0.22, 0.2), (0.3, 0.25), (0.49, 0.375), (0.55, 0.5)] {
            let image = try generator.copyImage(
                at: MediaTime(value: Int64(asked * 100), timescale: 100))
            #expect(image.actualTime.seconds == actual)
        }
    }

    @Test func `what cannot be drawn is refused before anything is read`() async throws {
        let asset = SyntheticAsset()
        var composition = try await VideoComposition(propertiesOf: asset)
        composition.instructions[0].timeRange.duration = MediaTime(value: 1, timescale: 1)
        let error = #expect(throws: VideoCompositionError.self) {
            _ = try AssetReader(asset: asset).addVideoCompositionOutput(composition)
        }
        #expect(error?.code == .gap)
        #expect(error?.time == MediaTime(value: 1, timescale: 1))
        let folder = TemporaryFolder()
        let session = AssetExportSession(asset: asset, preset: .losslessFFV1)
        session.videoComposition = composition
        let path = folder.appending("out.mkv").path
        await #expect(throws: MediaWritingError.self) { try await session.export(to: path) }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `after the end there is no image`() async throws {
        let asset = SyntheticAsset()
        let composition = try await VideoComposition(propertiesOf: asset)
        let generator = ImageGenerator(asset: asset, videoComposition: composition)
        let error = #expect(throws: MediaError.self) {
            _ = try generator.copyImage(at: MediaTime(value: 5, timescale: 1))
        }
        #expect(error?.code == .noSuchFrame)
    }
}

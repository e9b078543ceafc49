// SPDX-License-Identifier: Apache-2.0

import CompositionTestSupport
import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadCompositions
import PlayheadEditing
import PlayheadThreads
import PlayheadTime
import PlayheadVideoCompositions
import Testing

@testable import PlayheadPlayback

/// The pictures of a video composition as the video of an asset.
@Suite(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ComposedAssetTests {
    private func made(_ seed: UInt64, _ trackCount: Int) throws -> RandomComposition {
        var random = SplitMix64(seed: seed)
        var made = try RandomComposition(
            &random, trackCount: trackCount, seconds: 1, rate: 25)
        made.addRandomInstructions(&random)
        return made
    }

    /// Returns the pictures of a composition output.
    private func pictures(_ made: RandomComposition) throws -> [ComposedPicture] {
        let output = try AssetReader(asset: made.composition.makeAsset())
            .addVideoCompositionOutput(made.videoComposition)
        return try ComposedPicture.all { try output.copyNextSampleBuffer() }
    }

    @Test(arguments: [(31, 2), (32, 5)] as [(UInt64, Int)])
    func `a track output reads the pictures of a composition output, also after seeks`(
        seed: UInt64, trackCount: Int
    ) throws {
        let made = try made(seed, trackCount)
        let expected = try pictures(made)
        let asset = made.videoComposition.makeAsset(from: made.composition.makeAsset())
        let reader = try AssetReader(asset: asset)
        #expect(reader.description.tracks.count == 1)
        let size = reader.description.tracks[0].naturalSize
        #expect(size == (256, 32))
        let output = try reader.addVideoOutput(includesPictureAtStart: true)
        func check(from first: Int) throws {
            var index = first
            while let frame = try output.copyNextSampleBuffer() {
                guard index < expected.count else { break }
                let found = ComposedPicture(frame)
                #expect(found.time == expected[index].time)
                #expect(found.duration == expected[index].duration)
                #expect(found.image == expected[index].image, "\(found.time)")
                index += 1
            }
            #expect(index == expected.count)
        }
        try check(from: 0)
        for index in [7, 19, 2] {
            reader.restart(
                timeRange: MediaTimeRange(
                    start: expected[index].time, duration: .positiveInfinity))
            try check(from: index)
        }
    }

    @Test func `audio is that of the asset`() throws {
        let asset = SyntheticAsset()
        let rules = VideoComposition(propertiesOf: try AssetReader(asset: asset).description)
        func sampleCount(_ asset: Asset) throws -> Int {
            let output = try AssetReader(asset: asset).addAudioOutput(
                format: AudioFormat(sampleRate: 48_000, channels: [.frontLeft, .frontRight]))
            var count = 0
            while let buffer = try output.copyNextSampleBuffer() { count += buffer.frameCount }
            return count
        }
        let count = try sampleCount(asset)
        #expect(count > 0)
        #expect(try sampleCount(rules.makeAsset(from: asset)) == count)
    }

    @Test func `an invalid composition is reported when the asset is opened`() throws {
        let asset = SyntheticAsset()
        var rules = VideoComposition(propertiesOf: try AssetReader(asset: asset).description)
        rules.instructions[0].timeRange.duration = MediaTime(value: 1, timescale: 1)
        let error = #expect(throws: MediaError.self) {
            _ = try AssetReader(asset: rules.makeAsset(from: asset))
        }
        #expect(error?.description.contains("no instruction covers the time") == true)
    }

    private final class Failing: VideoCompositing {
        func renderContextChanged(_ context: VideoCompositionRenderContext) {}

        func startRequest(_ request: VideoCompositionRequest) {
            let seconds = request.compositionTime.seconds
            guard !(0.2..<0.4).contains(seconds), let frame = request.sourceFrame(byTrackID: 0)
            else { return request.finish(throwing: CancellationError()) }
            request.finish(with: frame)
        }
    }

    @Test func `pictures that fail are left out, and those after them are shown`() throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                frameDuration: MediaTime(value: 1, timescale: 10), count: 10), sounds: [])
        (media.width, media.height) = (256, 32)
        let asset = SyntheticAsset(media)
        var rules = VideoComposition(propertiesOf: try AssetReader(asset: asset).description)
        rules.makeCompositor = { Failing() }
        let output = try AssetReader(asset: rules.makeAsset(from: asset)).addVideoOutput()
        var numbers: [Int?] = []
        while let frame = try output.copyNextSampleBuffer() {
            numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer))
        }
        #expect(numbers == [0, 1, 4, 5, 6, 7, 8, 9])
        #expect(output.decodeErrorCount == 2)
    }

    @Test func `a player shows the pictures that a reader reads, also after seeks`() throws {
        let made = try made(33, 4)
        let expected = try pictures(made)
        let clock = ManualClock()
        let item = PlayerItem(
            asset: made.videoComposition.makeAsset(from: made.composition.makeAsset()))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        item.pipeline.control.wait { $0.hasVideo || $0.videoEnd != nil ? true : nil }
        func check(_ index: Int) {
            let found = output.copyPixelBuffer(forItemTime: item.currentTime).map {
                ComposedPicture.image($0.0)
            }
            #expect(found == expected[index].image, "\(expected[index].time)")
        }
        for index in [expected.count - 1, 3, 11, 4] {
            let landed = Monitor<Bool?>(nil)
            item.seek(
                to: expected[index].time, toleranceBefore: .zero, toleranceAfter: .zero
            ) { finished in landed.change { $0 = finished } }
            #expect(landed.wait { $0 })
            check(index)
        }
        let landed = Monitor<Bool?>(nil)
        item.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero) { finished in
            landed.change { $0 = finished }
        }
        #expect(landed.wait { $0 })
        check(0)
        player.play()
        item.pipeline.control.wait { $0.isRunning ? true : nil }
        for index in 1..<expected.count {
            clock.advance(
                to: expected[index].time.converted(
                    toTimescale: 1_000_000_000, method: .roundTowardPositiveInfinity))
            _ = output.waitForPixelBuffer(after: item.currentTime)
            check(index)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CompositionTestSupport
import Foundation
import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadEditing
import PlayheadImages
import PlayheadLayers
import PlayheadTime
import PlayheadVideoCompositions
import Testing

@testable import PlayheadPlayback

/// An animated title is the same in a reader, an image, a player and an export.
@Suite(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct TitleEqualityTests {
    private static func time(_ frame: Int64) -> MediaTime { MediaTime(value: frame, timescale: 25) }

    /// The frames at which the animations of the title begin, pass a key or end.
    private static let keys: [Int64] = [2, 4, 6, 8, 10, 11, 14, 16, 18, 20]

    /// A panel that fades in and out, moves and turns, with a picture of soft edges in it.
    private static func title() -> [Layer] {
        let ramp = TestPictures.rgba(width: 24, height: 16) { x, y in
            SIMD4(UInt8(x * 10), UInt8(y * 15), 200, UInt8(x * 7 + y * 4))
        }
        let mark = Layer(
            .image(ramp), frame: .pixels(LayerRect(x: 5, y: 3, width: 29, height: 17)))
        var panel = Layer(
            .color(SIMD4(0.9, 0.4, 0.1, 0.8)),
            frame: .pixels(LayerRect(x: 100, y: 4, width: 80, height: 23)))
        panel.cornerRadius = 5
        panel.sublayers = [mark]
        panel.opacity = 0
        panel.animate(
            .opacity([0, 1, 0.35, 0]), beginTime: time(2), duration: time(18),
            timingFunction: .linear)
        panel.animate(
            .translation([[-60, 5, 0], [20, -3, 0], [40, 1.5, 0]]), beginTime: time(4),
            duration: time(12))
        panel.animate(
            .rotation([-0.3, 0.4, 0]), beginTime: time(6), duration: time(8),
            timingFunction: .linear)
        return [panel]
    }

    /// The title is above random instructions, or above one that needs no drawing by itself.
    @Test(arguments: [true, false])
    func `a title is equal in every pixel at each of its keys`(isPlain: Bool) async throws {
        var random = SplitMix64(seed: 31)
        var made = try RandomComposition(&random, trackCount: 2, seconds: 1, rate: 25)
        if isPlain {
            made.videoComposition.renderSize = (256, 32)
            made.videoComposition.instructions = [
                VideoCompositionInstruction(
                    timeRange: MediaTimeRange(start: .zero, end: made.composition.duration),
                    layerInstructions: [VideoCompositionLayerInstruction(trackID: made.trackIDs[0])]
                )
            ]
        } else {
            made.addRandomInstructions(&random)
        }
        let asset = made.composition.makeAsset()
        var rules = made.videoComposition
        let untitled = try AssetReader(asset: asset).addVideoCompositionOutput(rules)
        let plain = try ComposedPicture.all { try untitled.copyNextSampleBuffer() }
        rules.animationTool = VideoCompositionAnimationTool(over: Self.title())
        let output = try AssetReader(asset: asset).addVideoCompositionOutput(rules)
        let read = try ComposedPicture.all { try output.copyNextSampleBuffer() }
        try #require(read.count == plain.count && read.count > 20)
        // The title is invisible at the first key and at the last one.
        for index in Self.keys.map({ Int($0) }) {
            #expect((read[index].image == plain[index].image) == [2, 20].contains(index))
        }

        let generator = ImageGenerator(asset: asset, videoComposition: rules, options: .exact)
        for key in Self.keys {
            let image = try generator.copyImage(at: Self.time(key))
            #expect(image.actualTime == Self.time(key))
            #expect(image.image == read[Int(key)].image, "generated, frame \(key)")
        }

        let item = PlayerItem(asset: asset)
        item.videoComposition = rules
        let shown = PlayerItemVideoOutput()
        item.add(shown)
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        for key in Self.keys.shuffled(using: &random) {
            await item.seek(to: Self.time(key), toleranceBefore: .zero, toleranceAfter: .zero)
            let frame = try #require(shown.copyPixelBuffer(forItemTime: item.currentTime))
            #expect(ComposedPicture.image(frame.0) == read[Int(key)].image, "played, frame \(key)")
        }
        _ = player

        let folder = TemporaryFolder()
        let file = folder.appending("title.mkv")
        let session = AssetExportSession(asset: asset, preset: .losslessFFV1)
        session.videoComposition = rules
        try await session.export(to: file.path)
        let exported = try AssetReader(asset: URLAsset(url: file)).addVideoOutput()
        let written = try ComposedPicture.all { try exported.copyNextSampleBuffer() }
        #expect(written.count == read.count)
        for key in Self.keys.map({ Int($0) }) where key < written.count {
            #expect(abs((written[key].time - read[key].time).seconds) < 0.001)
            #expect(written[key].image == read[key].image, "exported, frame \(key)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CompositionTestSupport
import Foundation
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

/// The composition of a player item, which can be exchanged while it plays.
@Suite(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ItemCompositionTests {
    /// An item that a manual clock moves.
    private struct Playback {
        let clock = ManualClock()
        let item: PlayerItem
        let output = PlayerItemVideoOutput()
        let player: Player

        init(_ asset: Asset, _ composition: VideoComposition?) {
            self.init(PlayerItem(asset: asset), composition)
        }

        init(_ item: PlayerItem, _ composition: VideoComposition?) {
            self.item = item
            item.videoComposition = composition
            item.add(output)
            player = Player(playerItem: item, audioSink: nil, masterClock: clock)
            item.pipeline.control.wait { $0.hasVideo || $0.videoEnd != nil ? true : nil }
        }

        var image: RGBAImage? {
            output.copyPixelBuffer(forItemTime: item.currentTime).map {
                ComposedPicture.image($0.0)
            }
        }

        func seek(to time: MediaTime) {
            let landed = Monitor<Bool?>(nil)
            item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { finished in
                landed.change { $0 = finished }
            }
            #expect(landed.wait { $0 })
        }

        func advance(to time: MediaTime) {
            clock.advance(
                to: time.converted(
                    toTimescale: 1_000_000_000, method: .roundTowardPositiveInfinity))
            _ = output.waitForPixelBuffer(after: item.currentTime)
        }

        /// Waits until the visible frame is one that begins at a time. Returns false if that takes
        /// longer than drawing all frames of the queue may take.
        func waitForFrame(at time: MediaTime) -> Bool {
            let deadline = HostClock.nanoseconds + 60_000_000_000
            while output.copyPixelBuffer(forItemTime: item.currentTime)?.1 != time {
                guard HostClock.nanoseconds < deadline else { return false }
                usleep(200)
            }
            return true
        }

        func exchange(_ composition: VideoComposition?) {
            item.videoComposition = composition
            item.pipeline.composing.wait { $0.isDrawing ? nil : true }
        }

        func waitUntilComposed() {
            item.pipeline.control.wait {
                $0.videoDecoder is any ExchangeableVideoDecoder && $0.hasVideo ? true : nil
            }
        }
    }

    private func made(_ seed: UInt64, _ trackCount: Int) throws -> RandomComposition {
        var random = SplitMix64(seed: seed)
        var made = try RandomComposition(&random, trackCount: trackCount, seconds: 1, rate: 25)
        made.addRandomInstructions(&random)
        return made
    }

    /// Returns other rules for the same tracks.
    private func rules(_ seed: UInt64, _ made: RandomComposition, rate: Int32) -> VideoComposition {
        var random = SplitMix64(seed: seed)
        var other = made
        other.videoComposition.instructions = []
        other.addRandomInstructions(&random)
        other.videoComposition.frameDuration = MediaTime(value: 1, timescale: rate)
        return other.videoComposition
    }

    /// Returns the pictures of a composition output.
    private func pictures(
        _ made: RandomComposition, _ rules: VideoComposition? = nil
    ) throws -> [ComposedPicture] {
        let output = try AssetReader(asset: made.composition.makeAsset())
            .addVideoCompositionOutput(rules ?? made.videoComposition)
        return try ComposedPicture.all { try output.copyNextSampleBuffer() }
    }

    private func picture(_ pictures: [ComposedPicture], at time: MediaTime) -> RGBAImage? {
        pictures.last { $0.time <= time + VideoFrame.timeTolerance }?.image
    }

    @Test(arguments: [(41, 4), (42, 1)] as [(UInt64, Int)])
    func `an item shows the pictures that a reader reads, also after seeks`(
        seed: UInt64, trackCount: Int
    ) throws {
        let made = try made(seed, trackCount)
        let expected = try pictures(made)
        let playback = Playback(made.composition.makeAsset(), made.videoComposition)
        #expect(playback.item.tracks.count == trackCount)
        for index in [expected.count - 1, 3, 11, 0] {
            playback.seek(to: expected[index].time)
            #expect(playback.image == expected[index].image, "\(expected[index].time)")
        }
        playback.player.play()
        playback.item.pipeline.control.wait { $0.isRunning ? true : nil }
        for picture in expected.dropFirst() {
            playback.advance(to: picture.time)
            #expect(playback.image == picture.image, "\(picture.time)")
        }
    }

    @Test(arguments: [25, 10, 60] as [Int32])
    func `a composition that is exchanged during a pause draws the visible frame again`(
        rate: Int32
    ) throws {
        let made = try made(43, 3)
        let playback = Playback(made.composition.makeAsset(), made.videoComposition)
        let times = [13, 40, 71].map { MediaTime(value: $0, timescale: 100) }
        for (index, time) in times.enumerated() {
            playback.seek(to: time)
            let other = rules(UInt64(60 + index), made, rate: rate)
            playback.exchange(other)
            #expect(playback.image == picture(try pictures(made, other), at: time), "\(time)")
            playback.exchange(made.videoComposition)
            #expect(playback.image == picture(try pictures(made), at: time), "\(time)")
        }
    }

    /// The second composition comes while frames are drawn by the first one.
    @Test func `exchanges in quick succession end with the picture of the last one`() throws {
        let made = try made(43, 3)
        let playback = Playback(made.composition.makeAsset(), made.videoComposition)
        let time = MediaTime(value: 13, timescale: 100)
        playback.seek(to: time)
        let (fast, slow) = (rules(60, made, rate: 60), rules(61, made, rate: 10))
        let expected = picture(try pictures(made, slow), at: time)
        for _ in 0..<5 {
            playback.item.videoComposition = fast
            try #require(playback.waitForFrame(at: MediaTime(value: 7, timescale: 60)))
            playback.exchange(slow)
            let isExpected = playback.image == expected
            #expect(isExpected)
        }
    }

    @Test(arguments: [25, 10, 60] as [Int32])
    func `a composition that is exchanged during playback applies from the visible frame on`(
        rate: Int32
    ) throws {
        let made = try made(44, 3)
        let other = rules(70, made, rate: rate)
        let (first, second) = (try pictures(made), try pictures(made, other))
        let playback = Playback(made.composition.makeAsset(), made.videoComposition)
        playback.player.play()
        playback.item.pipeline.control.wait { $0.isRunning ? true : nil }
        let change = MediaTime(value: 33, timescale: 100)
        for picture in first where picture.time < change {
            playback.advance(to: picture.time)
            #expect(playback.image == picture.image, "\(picture.time)")
        }
        playback.advance(to: change)
        let generation = playback.item.pipeline.control.withLock { $0.generation }
        playback.exchange(other)
        #expect(playback.image == picture(second, at: change))
        for picture in second where picture.time > change {
            playback.advance(to: picture.time)
            #expect(playback.image == picture.image, "\(picture.time)")
        }
        #expect(playback.item.pipeline.control.withLock { $0.generation } == generation)
    }

    @Test func `without a composition, an item shows the frames of its first track again`() throws {
        let made = try made(45, 2)
        var plain = VideoComposition(propertiesOf: made.composition)
        plain.instructions[0].layerInstructions.removeLast()
        plain.sourceTrackIDForFrameTiming = made.trackIDs[0]
        let playback = Playback(made.composition.makeAsset(), made.videoComposition)
        for (index, time) in [20, 55, 90].map({ MediaTime(value: $0, timescale: 100) }).enumerated()
        {
            playback.seek(to: time)
            playback.exchange(nil)
            #expect(playback.item.videoComposition == nil)
            #expect(playback.image == picture(try pictures(made, plain), at: time), "\(time)")
            if index == 1 { continue }
            playback.exchange(made.videoComposition)
            #expect(playback.image == picture(try pictures(made), at: time), "\(time)")
        }
    }

    @Test func `an item that was opened without a composition gets one where it is`() throws {
        let made = try made(46, 3)
        let expected = try pictures(made)
        let playback = Playback(made.composition.makeAsset(), nil)
        let time = expected[9].time
        playback.seek(to: time)
        playback.item.videoComposition = made.videoComposition
        playback.waitUntilComposed()
        #expect(playback.item.currentTime == time)
        #expect(playback.image == expected[9].image)
        playback.player.play()
        playback.item.pipeline.control.wait { $0.isRunning ? true : nil }
        for picture in expected[10...] {
            playback.advance(to: picture.time - time)
            #expect(playback.image == picture.image, "\(picture.time)")
        }
    }

    @Test func `a composition with an error fails an item that opens`() async throws {
        let made = try made(47, 2)
        var wrong = made.videoComposition
        wrong.instructions.removeLast()
        let playback = Playback(made.composition.makeAsset(), made.videoComposition)
        let time = MediaTime(value: 1, timescale: 5)
        playback.seek(to: time)
        playback.exchange(wrong)
        #expect(playback.image == picture(try pictures(made), at: time))
        #expect(playback.item.error == nil)
        #expect(playback.item.pipeline.control.withLock { $0.decodeErrors } == 1)

        let item = PlayerItem(asset: made.composition.makeAsset())
        item.videoComposition = wrong
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        let error = await #expect(throws: MediaError.self) { try await item.waitUntilReady() }
        #expect(error?.description.contains("no instruction covers the time") == true)
        _ = player
    }

    @Test func `a copy of an item has the composition, and is independent`() throws {
        let made = try made(48, 2)
        let item = PlayerItem(asset: made.composition.makeAsset())
        item.videoComposition = made.videoComposition
        let copy = PlayerItem(copying: item)
        item.videoComposition = nil
        let expected = try pictures(made)
        let playback = Playback(copy, copy.videoComposition)
        playback.seek(to: expected[5].time)
        #expect(playback.image == expected[5].image)
    }

    @Test func `frames drawn in reverse are those of the composition`() throws {
        let made = try made(49, 2)
        let expected = try pictures(made)
        let playback = Playback(made.composition.makeAsset(), made.videoComposition)
        let last = expected[20]
        playback.seek(to: last.time + VideoFrame.timeTolerance * Int32(4))
        playback.player.rate = -1
        playback.item.pipeline.control.wait { $0.isRunning ? true : nil }
        for picture in expected[8..<20].reversed() {
            let distance = last.time - picture.time - MediaTime(value: 1, timescale: 100)
            playback.advance(to: distance)
            #expect(playback.image == picture.image, "\(picture.time)")
        }
    }
}

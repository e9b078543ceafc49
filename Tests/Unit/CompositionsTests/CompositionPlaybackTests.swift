// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadCompositions
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// A player plays a composition like a file, on a manual clock.
@Suite struct CompositionPlaybackTests {
    private static func time(_ frames: Int) -> MediaTime {
        MediaTime(value: Int64(frames), timescale: 25)
    }

    /// The time in nanoseconds, rounded up.
    private static func clockTime(_ frames: Int) -> MediaTime {
        time(frames).converted(
            toTimescale: 1_000_000_000, method: .roundTowardPositiveInfinity)
    }

    /// Returns cuts of two videos at whole frames, and the number of the frame of each.
    private func makeCuts() throws -> (Composition, [Int]) {
        var random = SplitMix64(seed: 12)
        let films = try [(12, 2), (5, 0)].map { interval, bidirectional in
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(frameDuration: Self.time(1), count: 100), sounds: []
            )
            (media.width, media.height) = (256, 32)
            media.keyframeInterval = interval
            media.bidirectionalFrames = bidirectional
            let asset = SyntheticAsset(media)
            return (asset, try AssetReader(asset: asset).description.tracks[0])
        }
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .video)
        var numbers: [Int] = []
        for index in 0..<12 {
            let (asset, source) = films[index % 2]
            let start = Int.random(in: 0..<90, using: &random)
            let count = Int.random(in: 1...10, using: &random)
            try track.insertTimeRange(
                MediaTimeRange(start: Self.time(start), duration: Self.time(count)), of: source,
                in: asset, at: .invalid)
            numbers += start..<(start + count)
        }
        return (composition, numbers)
    }

    private struct Rig {
        let clock = ManualClock()
        let item: PlayerItem
        let player: Player
        let output = PlayerItemVideoOutput()

        init(_ composition: Composition) {
            item = PlayerItem(asset: composition.makeAsset())
            item.add(output)
            player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        }

        func waitUntil(_ condition: @escaping (ItemPipeline.Control) -> Bool) {
            item.pipeline.control.wait { control -> Bool? in
                if case .failed = control.phase { return true }
                return condition(control) ? true : nil
            }
        }

        func takeFrame() -> Int? {
            output.copyPixelBuffer(forItemTime: item.currentTime).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
        }
    }

    @Test func `each frame of each cut is on display at its time`() throws {
        let (composition, numbers) = try makeCuts()
        let rig = Rig(composition)
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        for (index, number) in numbers.enumerated() {
            rig.clock.advance(to: Self.clockTime(index))
            _ = rig.output.waitForPixelBuffer(after: rig.item.currentTime)
            #expect(rig.takeFrame() == number, "frame \(index)")
        }
    }

    @Test func `a seek lands on the frame of the cut`() throws {
        let (composition, numbers) = try makeCuts()
        let rig = Rig(composition)
        rig.waitUntil { $0.hasVideo || $0.videoEnd != nil }
        var random = SplitMix64(seed: 13)
        var last = -1
        for _ in 0..<25 {
            let index = Int.random(in: numbers.indices, using: &random)
            // A frame that was taken is not new to the output again.
            guard index != last else { continue }
            last = index
            let landed = Monitor<Bool?>(nil)
            rig.item.seek(to: Self.time(index), toleranceBefore: .zero, toleranceAfter: .zero) {
                finished in landed.change { $0 = finished }
            }
            #expect(landed.wait { $0 })
            #expect(rig.takeFrame() == numbers[index], "frame \(index)")
        }
    }
}

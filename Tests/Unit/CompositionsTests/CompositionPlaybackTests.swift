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

    @Test func `each video track plays with its gaps`() throws {
        // A frame of the first track every 1/25 s; the second has cuts and pauses between them.
        let films = try (0..<2).map { index in
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(frameDuration: Self.time(1), count: 100), sounds: []
            )
            (media.width, media.height) = (256, 32)
            media.keyframeInterval = [12, 7][index]
            let asset = SyntheticAsset(media)
            return (asset, try AssetReader(asset: asset).description.tracks[0])
        }
        let composition = MutableComposition()
        let tracks = try (0..<2).map { _ in try composition.addMutableTrack(withMediaType: .video) }
        try tracks[0].insertTimeRange(
            MediaTimeRange(start: .zero, duration: Self.time(100)), of: films[0].1,
            in: films[0].0, at: .zero)
        var expected = [Int?](repeating: nil, count: 100)
        for (start, source, count) in [(10, 40, 15), (25, 3, 5), (60, 77, 20)] {
            try tracks[1].insertTimeRange(
                MediaTimeRange(start: Self.time(source), duration: Self.time(count)),
                of: films[1].1, in: films[1].0, at: Self.time(start))
            for index in 0..<count { expected[start + index] = source + index }
        }
        let outputs = tracks.map { PlayerItemVideoOutput(trackID: $0.trackID) }
        let item = PlayerItem(asset: composition.makeAsset())
        for output in outputs { item.add(output) }
        let clock = ManualClock()
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        func frames() -> [Int?] {
            outputs.map { output in
                output.copyPixelBuffer(forItemTime: item.currentTime).flatMap {
                    FrameNumberStrip.read(from: $0.0)
                }
            }
        }
        var random = SplitMix64(seed: 14)
        for _ in 0..<40 {
            let index = Int.random(in: 0..<100, using: &random)
            let landed = Monitor<Bool?>(nil)
            item.seek(to: Self.time(index), toleranceBefore: .zero, toleranceAfter: .zero) {
                finished in landed.change { $0 = finished }
            }
            #expect(landed.wait { $0 })
            #expect(frames() == [index, expected[index]], "after a seek to frame \(index)")
        }
        let landed = Monitor<Bool?>(nil)
        item.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero) {
            finished in landed.change { $0 = finished }
        }
        #expect(landed.wait { $0 })
        player.play()
        item.pipeline.control.wait { $0.isRunning ? true : nil }
        for index in 0..<100 {
            clock.advance(to: Self.clockTime(index))
            try eventually("frames") { player.isAhead }
            #expect(frames() == [index, expected[index]], "frame \(index)")
        }
    }
}

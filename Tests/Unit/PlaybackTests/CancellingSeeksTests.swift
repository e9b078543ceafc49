// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// `PlayerItem.cancelPendingSeeks()`.
@Suite struct CancellingSeeksTests {
    /// A video whose later frames are decoded when the test allows it.
    private struct HeldFilm {
        private let limit = Monitor(60)

        var media: SyntheticMedia {
            var media = SeekingTests.media
            media.faults.willDecodeFrame = { [limit] number throws(MediaError) in
                _ = limit.wait { number < $0 ? true : nil }
            }
            return media
        }

        func release() { limit.change { $0 = .max } }
    }

    private static func time(of frame: Int64) -> MediaTime {
        MediaTime(value: frame, timescale: 30)
    }

    /// Seeks exactly, and records the result under a number.
    private static func seek(
        _ item: PlayerItem, to frame: Int64, _ results: Monitor<[Int: [Bool]]>, _ number: Int = 0
    ) {
        item.seek(to: time(of: frame), toleranceBefore: .zero, toleranceAfter: .zero) { done in
            results.change { $0[number, default: []].append(done) }
        }
    }

    @Test func `cancelling a seek completes it with false and restores the playhead`() {
        let film = HeldFilm()
        let rig = Rig(film.media, isPlaying: false)
        let before = MediaTime(value: 41, timescale: 120)
        #expect(rig.seek(to: before))
        #expect(rig.takeFrame() == 10)
        let results = Monitor<[Int: [Bool]]>([:])
        Self.seek(rig.item, to: 90, results)
        #expect(rig.item.currentTime == Self.time(of: 90))
        rig.item.cancelPendingSeeks()
        #expect(results.withLock { $0 } == [0: [false]])
        #expect(rig.item.currentTime == before)
        #expect(rig.takeFrame() == 10)
        film.release()
        rig.waitUntil { $0.seek == nil }
        #expect(rig.item.currentTime == before)
        #expect(rig.takeFrame() == 10)
        #expect(results.withLock { $0 } == [0: [false]])
    }

    @Test func `cancelling ends all pending seeks`() {
        let film = HeldFilm()
        let rig = Rig(film.media, isPlaying: false)
        #expect(rig.seek(to: Self.time(of: 20)))
        let results = Monitor<[Int: [Bool]]>([:])
        for (number, frame) in [40, 100, 5, 80].enumerated() {
            Self.seek(rig.item, to: Int64(frame), results, number)
        }
        rig.item.cancelPendingSeeks()
        #expect(results.withLock { $0 } == [0: [false], 1: [false], 2: [false], 3: [false]])
        #expect(rig.item.currentTime == Self.time(of: 20))
        film.release()
        rig.waitUntil { $0.seek == nil }
        #expect(rig.takeFrame() == 20)
    }

    @Test func `a playing item continues from where it was after cancelling`() {
        let film = HeldFilm()
        let rig = Rig(film.media)
        rig.advance(to: MediaTime(value: 1, timescale: 2))
        let results = Monitor<[Int: [Bool]]>([:])
        Self.seek(rig.item, to: 100, results)
        rig.clock.advance(to: MediaTime(value: 1, timescale: 1))
        rig.item.cancelPendingSeeks()
        #expect(rig.item.currentTime == MediaTime(value: 1, timescale: 2))
        film.release()
        rig.waitUntil { $0.isRunning }
        rig.advance(to: MediaTime(value: 2, timescale: 1))
        #expect(rig.item.currentTime == MediaTime(value: 3, timescale: 2))
        #expect(rig.takeFrame() == 45)
        #expect(results.withLock { $0 } == [0: [false]])
    }

    @Test func `a seek after cancelling lands`() {
        let film = HeldFilm()
        let rig = Rig(film.media, isPlaying: false)
        let results = Monitor<[Int: [Bool]]>([:])
        Self.seek(rig.item, to: 100, results)
        rig.item.cancelPendingSeeks()
        Self.seek(rig.item, to: 110, results, 1)
        film.release()
        #expect(results.wait { $0.count == 2 ? $0 : nil } == [0: [false], 1: [true]])
        #expect(rig.takeFrame() == 110)
    }

    @Test func `cancelling before an item is open forgets its seek`() {
        let item = PlayerItem(asset: SyntheticAsset(SeekingTests.media))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let results = Monitor<[Int: [Bool]]>([:])
        Self.seek(item, to: 60, results)
        item.cancelPendingSeeks()
        #expect(results.withLock { $0 } == [0: [false]])
        #expect(item.currentTime == .zero)
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        _ = item.pipeline.control.wait { $0.hasVideo ? true : nil }
        #expect(player.currentItem?.currentTime == .zero)
        let picture = output.copyPixelBuffer(forItemTime: .zero)
        #expect(picture.flatMap { FrameNumberStrip.read(from: $0.0) } == 0)
    }

    @Test func `cancelling without a pending seek has no effect`() {
        let rig = Rig(SeekingTests.media, isPlaying: false)
        #expect(rig.seek(to: Self.time(of: 50)))
        let generation = rig.item.pipeline.control.withLock { $0.generation }
        rig.item.cancelPendingSeeks()
        #expect(rig.item.pipeline.control.withLock { $0.generation } == generation)
        #expect(rig.item.currentTime == Self.time(of: 50))
        // Steps back are not seeks of the user.
        rig.item.step(byCount: -1)
        rig.item.cancelPendingSeeks()
        rig.waitUntil { $0.seek == nil && $0.steps.isEmpty }
        #expect(rig.takeFrame() == 49)
        rig.player.replaceCurrentItem(with: nil)
        rig.item.cancelPendingSeeks()
    }
}

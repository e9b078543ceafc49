// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

@Suite struct LoopingTests {
    private static func frames(_ rig: QueueRig) -> [Int] { rig.seen.map(\.frame) }

    /// Returns the samples of `range`, repeated.
    private static func samples(_ range: Range<Int>, rounds: Int) -> [Float] {
        (0..<rounds).flatMap { _ in range.map { Float($0) / Float(1 << 22) } }
    }

    @Test(arguments: [1, 2, 5, 8, 9, 30])
    func `the first frame follows the last, and the first sample the last`(frames: Int) {
        let rig = QueueRig()
        let looper = PlayerLooper(
            player: rig.player, templateItem: PlayerItem(.numbered(frames: frames)))
        #expect(rig.wait { looper.status == .ready })
        rig.play()
        let rounds = max(6, 60 / frames)
        rig.advance(milliseconds: Int64(rounds * frames * 1000 / 30) + 100)
        let expected = Self.samples(0..<(frames * 1600), rounds: rounds)
        #expect(Array(([0] + rig.heard).prefix(expected.count)) == expected)
        let seen = Self.frames(rig)
        #expect(seen.count >= rounds * frames)
        #expect(seen == seen.indices.map { $0 % frames })
        #expect(looper.loopCount >= rounds)
        #expect(looper.loopingPlayerItems.count == (frames == 30 ? 2 : frames >= 8 ? 3 : 4))
    }

    @Test func `removed items leave the loop, which ends with the last one`() {
        let rig = QueueRig()
        let last = PlayerItem(.numbered(frames: 10))
        let looper = PlayerLooper(
            player: rig.player, templateItem: PlayerItem(.numbered(frames: 30)))
        #expect(rig.wait { looper.status == .ready })
        rig.player.insert(last, after: nil)
        rig.play()
        let items = looper.loopingPlayerItems
        for (count, item) in items.enumerated() {
            #expect(looper.status == .ready)
            rig.player.remove(item)
            #expect(rig.player.items.count == items.count - count)
        }
        #expect(looper.status == .cancelled)
        #expect(rig.player.items.map { $0 === last } == [true])
    }

    @Test func `a range of an item loops exactly to frame and sample`() {
        let rig = QueueRig()
        let range = MediaTimeRange(
            start: MediaTime(value: 7, timescale: 30), end: MediaTime(value: 23, timescale: 30))
        let looper = PlayerLooper(
            player: rig.player, templateItem: PlayerItem(.numbered()), timeRange: range)
        #expect(rig.wait { looper.status == .ready })
        rig.play()
        rig.advance(milliseconds: 3000)
        let expected = Self.samples(11_200..<36_800, rounds: 5)
        #expect(Array(rig.heard.prefix(expected.count)) == expected)
        let seen = Self.frames(rig)
        #expect(seen == seen.indices.map { 7 + $0 % 16 })
        #expect(looper.loopCount == 5)
    }

    @Test func `a range that is played backwards ends at its start`() {
        let rig = QueueRig(hasSound: false)
        let range = MediaTimeRange(
            start: MediaTime(value: 7, timescale: 30), end: MediaTime(value: 23, timescale: 30))
        let looper = PlayerLooper(
            player: rig.player, templateItem: PlayerItem(.numbered()), timeRange: range)
        #expect(rig.wait { looper.status == .ready })
        rig.play()
        rig.advance(milliseconds: 300)
        rig.player.rate = -1
        #expect(rig.wait { rig.player.timeControlStatus == .playing })
        rig.clock.advance(by: MediaTime(value: 5, timescale: 1))
        #expect(rig.wait { rig.player.rate == 0 })
        #expect(rig.player.currentItem?.currentTime == range.start)
    }

    @Test func `a range that is not a whole number of samples stays in step with the clock`() {
        let rig = QueueRig()
        let range = MediaTimeRange(
            start: .zero, duration: MediaTime(value: 20_001, timescale: 96_000))
        let looper = PlayerLooper(
            player: rig.player, templateItem: PlayerItem(.numbered()), timeRange: range)
        #expect(rig.wait { looper.status == .ready })
        rig.play()
        rig.advance(milliseconds: 3000)
        // Rounds of 10,000 and 10,001 samples, without a missing or repeated one.
        let heard = [0] + rig.heard
        let starts = heard.indices.filter { heard[$0] == 0 }
        #expect(starts.count >= 14)
        for (start, next) in zip(starts, starts.dropFirst()) {
            #expect((10_000...10_001).contains(next - start))
        }
        for (index, start) in starts.enumerated() {
            #expect(abs(Double(start) - Double(index) * 10_000.5) <= 1)
        }
    }

    @Test(arguments: [
        MediaTimeRange(start: .zero, duration: .zero),
        MediaTimeRange(start: .positiveInfinity, duration: MediaTime(value: 1, timescale: 1)),
        MediaTimeRange(start: .indefinite, duration: MediaTime(value: 1, timescale: 1)),
        MediaTimeRange(
            start: MediaTime(value: 9, timescale: 1), duration: MediaTime(value: 1, timescale: 1)),
    ])
    func `a range that is empty or outside fails, and the queue continues`(
        range: MediaTimeRange
    ) {
        let other = PlayerItem(.numbered())
        let rig = QueueRig([other])
        let looper = PlayerLooper(
            player: rig.player, templateItem: PlayerItem(.numbered()), timeRange: range)
        #expect(rig.wait { looper.error != nil })
        #expect(rig.wait { rig.player.currentItem === other })
        rig.play()
        rig.advance(milliseconds: 500)
        #expect(rig.player.items.count == 1)
        #expect(Self.frames(rig).last == 13)
    }

    @Test func `a range that exceeds the item is clamped`() {
        let rig = QueueRig()
        let range = MediaTimeRange(
            start: MediaTime(value: 20, timescale: 30), duration: MediaTime(value: 5, timescale: 1))
        let looper = PlayerLooper(
            player: rig.player, templateItem: PlayerItem(.numbered()), timeRange: range)
        #expect(rig.wait { looper.status == .ready })
        rig.play()
        rig.advance(milliseconds: 1000)
        let seen = Self.frames(rig)
        #expect(seen == seen.indices.map { 20 + $0 % 10 })
    }

    @Test func `an item that cannot be opened fails, with its reason`() {
        let rig = QueueRig()
        let looper = PlayerLooper(player: rig.player, templateItem: PlayerItem(.bad))
        #expect(rig.wait { looper.error == SyntheticMedia.badReason })
        let good = PlayerItem(.numbered())
        rig.player.insert(good, after: nil)
        #expect(rig.wait { rig.player.currentItem === good })
    }

    @Test func `after looping is disabled the round ends and the queue continues`() {
        let rig = QueueRig()
        let looper = PlayerLooper(player: rig.player, templateItem: PlayerItem(.numbered()))
        let next = PlayerItem(.numbered(frames: 6))
        rig.player.insert(next, after: nil)
        #expect(rig.wait { looper.status == .ready })
        rig.play()
        rig.advance(milliseconds: 1500)
        looper.disableLooping()
        #expect(looper.status == .cancelled)
        rig.advance(milliseconds: 900)
        let expected =
            Self.samples(0..<48_000, rounds: 2) + Self.samples(0..<9600, rounds: 1)
        #expect(Array(([0] + rig.heard).prefix(expected.count)) == expected)
        #expect(Self.frames(rig) == (0..<66).map { $0 % 30 })
        #expect(rig.player.items.isEmpty)
    }

    @Test func `a loop after other items begins when they have ended, without a gap`() {
        let first = PlayerItem(.numbered(frames: 12))
        let rig = QueueRig([first])
        let looper = PlayerLooper(
            player: rig.player, templateItem: PlayerItem(.numbered(frames: 18)),
            existingItemsOrdering: .loopingItemsFollowExistingItems)
        rig.play()
        rig.advance(milliseconds: 3000)
        let expected =
            Self.samples(0..<19_200, rounds: 1) + Self.samples(0..<28_800, rounds: 4)
        #expect(Array(([0] + rig.heard).prefix(expected.count)) == expected)
        let seen = Self.frames(rig)
        #expect(seen == seen.indices.map { $0 < 12 ? $0 : ($0 - 12) % 18 })
        #expect(looper.loopCount == 4)
    }

    @Test func `a loop inserted before the current item replaces it and returns to it`() {
        let item = PlayerItem(.numbered())
        let rig = QueueRig([item])
        rig.play()
        rig.advance(milliseconds: 300)
        let looper = PlayerLooper(
            player: rig.player, templateItem: PlayerItem(.numbered(frames: 12)))
        #expect(rig.wait { looper.status == .ready && rig.player.timeControlStatus == .playing })
        #expect(rig.player.currentItem !== item && rig.player.items.last === item)
        rig.advance(milliseconds: 1000)
        looper.disableLooping()
        rig.advance(milliseconds: 600)
        #expect(rig.player.currentItem === item)
        // It continues at its position.
        #expect(item.currentTime > MediaTime(value: 3, timescale: 10))
    }

    @Test func `a released looper stops looping`() {
        let rig = QueueRig()
        var looper: PlayerLooper? = PlayerLooper(
            player: rig.player, templateItem: PlayerItem(.numbered()))
        #expect(rig.wait { looper?.status == .ready })
        rig.play()
        rig.advance(milliseconds: 100)
        looper = nil
        #expect(rig.player.items.count == 1)
        rig.advance(milliseconds: 1100)
        #expect(rig.player.items.isEmpty)
    }

    @Test func `emptying the queue cancels the looper`() {
        let rig = QueueRig()
        let looper = PlayerLooper(player: rig.player, templateItem: PlayerItem(.numbered()))
        #expect(rig.wait { looper.status == .ready })
        rig.player.removeAllItems()
        #expect(looper.status == .cancelled)
        #expect(rig.player.items.isEmpty)
    }

    @Test func `pausing at any time in a loop loses no sample`() {
        let rig = QueueRig()
        let looper = PlayerLooper(
            player: rig.player, templateItem: PlayerItem(.numbered(frames: 12)))
        #expect(rig.wait { looper.status == .ready })
        for milliseconds: Int64 in [130, 390, 400, 10, 370, 790] {
            rig.play()
            rig.advance(milliseconds: milliseconds)
            rig.player.pause()
            rig.clock.advance(by: MediaTime(value: 1, timescale: 3))
        }
        let seen = Self.frames(rig)
        #expect(seen == seen.indices.map { $0 % 12 })
        #expect(seen.count > 50)
    }
}

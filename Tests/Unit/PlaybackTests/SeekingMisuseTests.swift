// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Seeks that are impossible, come at a bad moment, or meet a bad video: each completes once.
@Suite struct SeekingMisuseTests {
    private static let media = SyntheticMedia.silent(
        seconds: 4, keyframeInterval: 30, bidirectionalFrames: 2)
    private static let second = MediaTime(value: 1, timescale: 1)

    /// The results of a completion handler, one for each call.
    private final class Completion: Sendable {
        private let results = Monitor<[Bool]>([])

        var handler: @Sendable (Bool) -> Void {
            { result in self.results.change { $0.append(result) } }
        }

        func wait() -> [Bool] { results.wait { $0.isEmpty ? nil : $0 } }
        var all: [Bool] { results.withLock { $0 } }
    }

    private static func seek(
        _ item: PlayerItem, to time: MediaTime, _ completion: Completion
    ) {
        item.seek(
            to: time, toleranceBefore: .zero, toleranceAfter: .zero, completion: completion.handler)
    }

    @Test(arguments: [
        MediaTime(value: .max, timescale: 1), MediaTime(value: .max, timescale: .max),
        MediaTime(value: 1, timescale: 0), MediaTime(value: .min, timescale: 1),
        MediaTime(value: .min + 1, timescale: .max),
    ])
    func `a seek to an extreme time lands or is rejected`(time: MediaTime) {
        let rig = Rig(Self.media, isPlaying: false)
        #expect(rig.seek(to: time) == time.isNumeric)
        #expect(rig.seek(to: Self.second))
        #expect(rig.takeFrame() == 30)
    }

    @Test func `a rejected seek changes neither the playhead nor a pending seek`() {
        let rig = Rig(Self.media, isPlaying: false)
        #expect(rig.seek(to: Self.second))
        #expect(!rig.seek(to: .positiveInfinity))
        #expect(rig.item.currentTime == Self.second)
        #expect(rig.takeFrame() == 30)
    }

    @Test func `a seek of an item without a player lands once it has one`() {
        let item = PlayerItem(asset: SyntheticAsset(Self.media))
        let (first, second) = (Completion(), Completion())
        Self.seek(item, to: .zero, first)
        Self.seek(item, to: Self.second, second)
        #expect(first.wait() == [false])
        #expect(second.all.isEmpty)
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        #expect(second.wait() == [true])
        #expect(player.currentItem?.currentTime == Self.second)
        #expect(first.all == [false])
    }

    @Test func `a cancelled task stops waiting for a seek, which continues`() async {
        let item = PlayerItem(asset: SyntheticAsset(Self.media))
        let waiting = Task {
            await item.seek(to: Self.second, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        while item.pipeline.control.withLock({ $0.seek == nil }) { await Task.yield() }
        waiting.cancel()
        #expect(await !waiting.value)
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        item.pipeline.control.wait { $0.hasVideo && $0.seek == nil ? true : nil }
        #expect(player.currentTime == Self.second)
    }

    @Test func `a seek while the item opens lands, or fails with it`() {
        for fails in [false, true] {
            var media = Self.media
            let gate = OpeningGate()
            media.faults.willOpen = { _ throws(MediaError) in
                gate.pass()
                if fails { throw MediaError(.cannotOpen, subject: "film", cause: "a test") }
            }
            let item = PlayerItem(asset: SyntheticAsset(media))
            let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
            let (during, after) = (Completion(), Completion())
            Self.seek(item, to: Self.second, during)
            #expect(item.currentTime == Self.second)
            gate.open()
            #expect(during.wait() == [!fails])
            Self.seek(item, to: .zero, after)
            #expect(after.wait() == [!fails])
            #expect(during.all.count == 1)
            _ = player
        }
    }

    @Test func `a seek without an item completes with false`() async {
        let player = Player(audioSink: nil)
        let completion = Completion()
        player.seek(to: .zero, completion: completion.handler)
        #expect(completion.all == [false])
        #expect(await !player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero))
    }

    @Test func `a seek of a replaced item completes with false`() {
        let rig = Rig(Self.media, isPlaying: false)
        rig.player.replaceCurrentItem(with: nil)
        #expect(!rig.seek(to: Self.second))
    }

    @Test func `an item may be released in a seek's completion`() {
        let kept = Monitor<PlayerItem?>(PlayerItem(asset: SyntheticAsset(Self.media)))
        let completion = Completion()
        let player = Player(audioSink: nil, masterClock: ManualClock())
        let item = kept.withLock { $0 }
        player.replaceCurrentItem(with: item)
        item?.seek(to: Self.second) { landed in
            kept.change { $0 = nil }
            player.replaceCurrentItem(with: nil)
            completion.handler(landed)
        }
        #expect(completion.wait() == [true])
        #expect(player.currentItem == nil)
    }

    @Test func `a completion may seek again`() {
        let rig = Rig(Self.media, isPlaying: false)
        let completion = Completion()
        let item = rig.item
        item.seek(to: Self.second) { _ in
            Self.seek(item, to: MediaTime(value: 2, timescale: 1), completion)
        }
        #expect(completion.wait() == [true])
        #expect(rig.takeFrame() == 60)
    }

    @Test func `an output may be removed during a seek`() {
        var media = Self.media
        let gate = Monitor(true)
        media.faults.willSeek = { () throws(MediaError) in _ = gate.wait { $0 ? true : nil } }
        let rig = Rig(media, isPlaying: false)
        let completion = Completion()
        gate.change { $0 = false }
        Self.seek(rig.item, to: Self.second, completion)
        rig.item.remove(rig.output)
        #expect(rig.takeFrame() == nil)
        gate.change { $0 = true }
        #expect(completion.wait() == [true])
        rig.item.add(rig.output)
        #expect(rig.takeFrame() == 30)
    }

    @Test func `a seek that the file does not support completes, and the next one lands`() {
        var media = Self.media
        let fails = Monitor(false)
        media.faults.willSeek = { () throws(MediaError) in
            if fails.withLock({ $0 }) {
                throw MediaError(.damaged, subject: "film", cause: "a test")
            }
        }
        let rig = Rig(media, isPlaying: false)
        let (broken, whole) = (Completion(), Completion())
        fails.change { $0 = true }
        Self.seek(rig.item, to: Self.second, broken)
        #expect(broken.wait() == [false])
        #expect(rig.item.lastDecodingError?.code == .damaged)
        fails.change { $0 = false }
        Self.seek(rig.item, to: MediaTime(value: 2, timescale: 1), whole)
        #expect(whole.wait() == [true])
        #expect(rig.takeFrame() == 60)
    }

    @Test func `playback ends after a seek that the file does not support`() {
        var media = Self.media
        let fails = Monitor(false)
        let reason = MediaError(.damaged, subject: "film", cause: "a test")
        media.faults.willSeek = { () throws(MediaError) in
            if fails.withLock({ $0 }) { throw reason }
        }
        let rig = Rig(media)
        let events = Monitor<[PlayerItem.Event]>([])
        let token = rig.item.observeEvents { event in events.change { $0.append(event) } }
        fails.change { $0 = true }
        let there = MediaTime(value: 3, timescale: 1)
        #expect(!rig.seek(to: there))
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.item.currentTime == there && rig.player.rate == 0)
        events.wait { $0.contains(.failedToPlayToEndTime(reason)) ? true : nil }
        token.cancel()
        fails.change { $0 = false }
        #expect(rig.seek(to: Self.second))
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        #expect(rig.takeFrame() == 30)
    }
}

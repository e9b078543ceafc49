// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The effect of meaningless values, and of releases at bad moments.
@Suite struct MisuseTests {
    private static let noTimes: [MediaTime] = [
        .invalid, .indefinite, .positiveInfinity, .negativeInfinity,
    ]
    private static let noNumbers: [Double] = [.nan, .infinity, -.infinity, .signalingNaN]

    @Test func `items, outputs and observers can be created without opening anything`() {
        let opened = Monitor(0)
        var media = SyntheticMedia()
        media.faults.willOpen = { _ throws(MediaError) in opened.change { $0 += 1 } }
        var kept: [(PlayerItem, ObservationToken, ObservationToken)] = []
        for _ in 0..<100 {
            let item = PlayerItem(asset: SyntheticAsset(media))
            let output = PlayerItemVideoOutput()
            item.add(output)
            output.requestNotificationOfMediaDataChange(withAdvanceInterval: .zero)
            item.seek(to: MediaTime(value: 1, timescale: 1), completion: nil)
            kept.append((item, item.observe(\.status) { _ in }, item.observeEvents { _ in }))
        }
        let player = Player(audioSink: nil)
        let token = player.addPeriodicTimeObserver(
            forInterval: MediaTime(value: 1, timescale: 1)
        ) { _ in }
        #expect(opened.withLock { $0 } == 0)
        // Only operations that leave this phase start threads.
        for (item, _, _) in kept {
            let isIdle = item.pipeline.control.withLock { control in
                if case .idle = control.phase { true } else { false }
            }
            #expect(isIdle)
        }
        #expect(player.timeControlStatus == .paused)
        token.cancel()
    }

    @Test func `giving an item to two players is a precondition failure, and queues refuse it`()
        async
    {
        let item = PlayerItem(asset: SyntheticAsset(.silent()))
        let queue = QueuePlayer(audioSink: nil)
        let other = QueuePlayer(audioSink: nil)
        let first = PlayerItem(asset: SyntheticAsset(.silent()))
        #expect(queue.insert(first, after: nil) && queue.insert(item, after: nil))
        // It only waits, and has not started.
        #expect(!other.insert(item, after: nil))
        #expect(other.items.isEmpty)
        queue.replaceCurrentItem(with: item)
        #expect(queue.currentItem === item)
        await #expect(processExitsWith: .failure) {
            let item = PlayerItem(asset: SyntheticAsset(.silent()))
            let player = Player(playerItem: item, audioSink: nil)
            let other = Player(playerItem: item, audioSink: nil)
            withExtendedLifetime((player, other)) {}
        }
    }

    @Test func `a queue that did not take an item does not have it`() {
        let item = PlayerItem(asset: SyntheticAsset(.silent()))
        let queue = QueuePlayer(audioSink: nil)
        let gone = PlayerItem(asset: SyntheticAsset(.silent()))
        #expect(!queue.insert(item, after: gone))
        #expect(QueuePlayer(audioSink: nil).insert(item, after: nil))
    }

    @Test func `an item can go to another player once the first is deallocated`() {
        let item = PlayerItem(asset: SyntheticAsset(.silent()))
        do {
            let queue = QueuePlayer(audioSink: nil)
            _ = queue.insert(PlayerItem(asset: SyntheticAsset(.silent())), after: nil)
            #expect(queue.insert(item, after: nil))
            queue.removeAllItems()
        }
        // Its player released it, and its error states so.
        let player = Player(playerItem: item, audioSink: nil)
        #expect(item.error?.code == .cancelled)
        withExtendedLifetime(player) {}
    }

    @Test func `a NaN rate stops, and too large ones are clamped`() async {
        let rig = Rig(.silent(), isPlaying: false)
        for rate in Self.noNumbers {
            rig.player.rate = rate
            #expect(rig.player.rate.isFinite)
            rig.player.setRate(rate)
            #expect(rig.player.rate.isFinite)
            rig.player.setRate(rate, time: .zero, atHostTime: .zero)
            #expect(rig.player.rate.isFinite)
            rig.player.defaultRate = rate
            rig.player.play()
            #expect(rig.player.rate.isFinite)
            rig.player.pause()
            _ = await rig.player.preroll(atRate: rate)
        }
        rig.player.rate = .nan
        #expect(rig.player.rate == 0)
    }

    @Test func `times that are not numeric have no effect`() {
        let rig = Rig(.silent(), isPlaying: false)
        rig.seek(to: MediaTime(value: 1, timescale: 1))
        for time in Self.noTimes {
            #expect(!rig.seek(to: time))
            rig.player.setRate(0, time: time, atHostTime: time)
            #expect(rig.item.currentTime == MediaTime(value: 1, timescale: 1))
            #expect(!rig.output.hasNewPixelBuffer(forItemTime: time))
            #expect(rig.output.copyPixelBuffer(forItemTime: time) == nil)
            #expect(!rig.output.isAwaitingPixelBuffer(forItemTime: time))
            _ = rig.output.itemTime(forHostTime: time)
            _ = rig.output.waitForPixelBuffer(after: time, seconds: 0)
            rig.output.requestNotificationOfMediaDataChange(withAdvanceInterval: time)
            rig.player.addBoundaryTimeObserver(forTimes: [time]) {}.cancel()
            rig.player.addPeriodicTimeObserver(forInterval: time) { _ in }.cancel()
            rig.player.setRate(1, time: time, atHostTime: time)
            rig.player.pause()
            rig.seek(to: MediaTime(value: 1, timescale: 1))
        }
        for seconds in Self.noNumbers {
            _ = rig.output.waitForPixelBuffer(after: .zero, seconds: seconds)
        }
        #expect(rig.takeFrame() == 30)
    }

    @Test func `steps of any size end at the edges`() {
        let rig = Rig(.silent(), isPlaying: false)
        for (count, frame) in [(Int.max, 59), (Int.min, 0), (0, 0)] {
            rig.item.step(byCount: count)
            if count != 0 { rig.item.step(byCount: count) }
            rig.waitUntil { $0.steps.isEmpty && $0.seek == nil }
            rig.waitUntil { $0.hasVideo }
            #expect(rig.takeFrame() == frame)
        }
    }

    @Test func `a player and its item can be released at any moment`() {
        let queue = ObservationQueue(DispatchQueue(label: "test"))
        for round in 0..<200 {
            let item = PlayerItem(asset: SyntheticAsset(.silent()))
            let player = Player(audioSink: nil)
            let token = player.observe(\.status, on: queue) { _ in }
            player.replaceCurrentItem(with: item)
            if round % 2 == 0 { player.play() }
            if round % 3 == 0 { item.pipeline.control.wait { $0.hasVideo ? true : nil } }
            if round % 5 == 0 { player.replaceCurrentItem(with: nil) }
            token.cancel()
        }
    }

    @Test func `a handler may release the object that it observes`() {
        let dispatch = DispatchQueue(label: "test")
        let count = Monitor(0)
        for _ in 0..<50 {
            let held = Monitor<(Player, ObservationToken, ObservationToken)?>(nil)
            let item = PlayerItem(asset: SyntheticAsset(.silent()))
            let player = Player(audioSink: nil)
            let letGo: @Sendable () -> Void = {
                held.withLock { $0 = nil }
                count.change { $0 += 1 }
            }
            let status = item.observe(\.status, on: ObservationQueue(dispatch)) { _ in letGo() }
            let event = player.observe(\.status, on: ObservationQueue(dispatch)) { _ in
                letGo()
            }
            held.withLock { $0 = (player, status, event) }
            player.replaceCurrentItem(with: item)
        }
        count.wait { $0 >= 50 ? true : nil }
    }
}

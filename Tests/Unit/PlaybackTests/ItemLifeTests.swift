// SPDX-License-Identifier: Apache-2.0

import Glibc
import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadPlayback

@Suite struct ItemLifeTests {
    @Test func `waiting for an item ends when it is ready`() async throws {
        let item = PlayerItem(.silent())
        let player = Player(playerItem: item, audioSink: nil)
        try await item.waitUntilReady()
        #expect(item.status == .readyToPlay)
        #expect(player.currentItem === item)
    }

    @Test func `waiting for an item that fails throws the reason`() async {
        var media = SyntheticMedia.silent()
        let reason = MediaError(.damaged, subject: "film", cause: "its index is missing")
        media.faults.willOpen = { _ throws(MediaError) in throw reason }
        let item = PlayerItem(asset: SyntheticAsset(media))
        let player = Player(playerItem: item, audioSink: nil)
        await #expect(throws: reason) { try await item.waitUntilReady() }
        #expect(player.timeControlStatus == .paused)
    }

    @Test func `waiting for an item that is replaced ends`() async {
        let gate = OpeningGate()
        let item = PlayerItem(gate.before(.silent()))
        let player = Player(playerItem: item, audioSink: nil)
        let waiting = Task { try await item.waitUntilReady() }
        player.replaceCurrentItem(with: nil)
        await #expect(throws: MediaError.self) { try await waiting.value }
        gate.open()
    }

    @Test func `a cancelled task stops waiting for an item`() async {
        let gate = OpeningGate()
        defer { gate.open() }
        let item = PlayerItem(gate.before(.silent()))
        let player = Player(playerItem: item, audioSink: nil)
        let waiting = Task { try await item.waitUntilReady() }
        while item.pipeline.control.withLock({ $0.readyWaiters.isEmpty }) { await Task.yield() }
        waiting.cancel()
        let error = await #expect(throws: MediaError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        #expect(item.status == .unknown)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await item.waitUntilReady()
        }
        await #expect(throws: MediaError.self) { try await early.value }
        withExtendedLifetime(player) {}
    }

    @Test func `waiting for an item that no player has fails at once`() async throws {
        let item = PlayerItem(.silent())
        let error = await #expect(throws: MediaError.self) { try await item.waitUntilReady() }
        #expect(error?.code == .cancelled && error?.cause.hasPrefix("no player has") == true)
        #expect(error?.remedy.isEmpty == false && item.status == .unknown)
        // An item of a queue is waited for, even before it is opened.
        let player = QueuePlayer(items: [PlayerItem(.silent()), item], audioSink: nil)
        let waiting = Task { try await item.waitUntilReady() }
        player.advanceToNextItem()
        try await waiting.value
        #expect(item.status == .readyToPlay)
        withExtendedLifetime(player) {}
    }

    @Test func `an item and its subtitle outputs do not keep each other alive`() {
        weak var asset: Asset?
        weak var output: PlayerItemLegibleOutput?
        do {
            let (film, legible) = (SyntheticAsset(.silent()), PlayerItemLegibleOutput())
            let item = PlayerItem(asset: film)
            item.add(legible)
            (asset, output) = (film, legible)
        }
        #expect(asset == nil && output == nil)
    }

    @Test
    func `a copy of an item has the same preferred variants`() {
        let item = PlayerItem(.silent())
        let caps = VariantPreference(peakBitRate: 500_000)
        item.preferVariants(caps)
        _ = item.pipeline.control.withLock { $0.variants.take() }
        let copy = PlayerItem(copying: item)
        #expect(copy.pipeline.control.withLock { $0.variants } == caps)
    }

    @Test func `an item that its player has released fails when it is played again`() async {
        let (first, second) = (PlayerItem(.silent()), PlayerItem(.silent()))
        let player = Player(playerItem: first, audioSink: nil, masterClock: ManualClock())
        first.pipeline.control.wait { $0.hasVideo ? true : nil }
        player.replaceCurrentItem(with: second)
        #expect(first.status == .readyToPlay)
        player.play()
        player.replaceCurrentItem(with: first)
        #expect(first.error?.code == .cancelled && first.error?.remedy.isEmpty == false)
        #expect(player.state.status == first.status)
        await #expect(throws: MediaError.self) { try await first.waitUntilReady() }
        // The player waits for another item, and reports it.
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
        let third = PlayerItem(.silent())
        player.replaceCurrentItem(with: third)
        third.pipeline.control.wait { $0.isRunning ? true : nil }
        #expect(first.error != nil)
    }

    @Test func `a player with a failed item has nothing to play`() async {
        let item = PlayerItem(.bad)
        let player = Player(playerItem: item, audioSink: nil)
        player.play()
        await #expect(throws: SyntheticMedia.badReason) { try await item.waitUntilReady() }
        player.publish()
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
    }

    @Test func `a rate set while an item is replaced applies to the new one`() {
        for _ in 0..<50 {
            let player = Player(playerItem: PlayerItem(.silent()), audioSink: nil)
            let item = PlayerItem(.silent())
            // Blocked in the middle of it, usually after it has read the rate.
            let threads = player.arrangement.withLock { _ in
                let replacing = WorkerThread(name: "test-replace") {
                    player.replaceCurrentItem(with: item)
                }
                for _ in 0..<100 { sched_yield() }
                let playing = WorkerThread(name: "test-play") { player.play() }
                for _ in 0..<100 { sched_yield() }
                return [replacing, playing]
            }
            for thread in threads { thread.join() }
            #expect(player.rate == 1)
            #expect(item.pipeline.control.withLock { $0.desiredRate } == 1)
        }
    }

    @Test func `rates set on several threads leave the player and its item at the same one`() {
        let item = PlayerItem(.silent())
        let player = Player(playerItem: item, audioSink: nil)
        let threads = [1.0, 0, 2, -1].map { rate in
            WorkerThread(name: "test-rate") {
                for _ in 0..<200 { player.rate = rate }
            }
        }
        for thread in threads { thread.join() }
        #expect(item.pipeline.control.withLock { $0.desiredRate } == player.rate)
        #expect(player.state.rate == player.rate)
    }

    @Test func `a current item that is made current again keeps its declared start`() {
        let gate = OpeningGate()
        defer { gate.open() }
        let item = PlayerItem(gate.before(.silent()))
        let player = Player(playerItem: item, audioSink: nil)
        player.setRate(1, time: .zero, atHostTime: HostClock.shared.time)
        player.replaceCurrentItem(with: item)
        #expect(player.rate == 1)
        #expect(item.pipeline.control.withLock { $0.pendingStart != nil })
    }

    @Test func `the end of a replaced item leaves the player's rate as it is`() {
        let first = PlayerItem(.silent())
        let player = Player(playerItem: first, audioSink: nil)
        player.play()
        player.replaceCurrentItem(with: PlayerItem(.silent()))
        first.pipeline.post(.setRate(0, isImmediate: false))
        #expect(player.rate == 1)
    }

    @Test func `an observer of an item's end finds the rate at 0`() async throws {
        let clock = ManualClock()
        let item = PlayerItem(.silent())
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        let rates = Monitor<[Double]>([])
        item.observers.observeAtOnce { [weak player] old, new in
            guard new.hasPlayedToEnd, !old.hasPlayedToEnd, let player else { return }
            rates.change { $0.append(player.rate) }
        }
        try await item.waitUntilReady()
        player.play()
        try eventually("the end") {
            clock.advance(by: MediaTime(value: 1, timescale: 10))
            return rates.withLock { !$0.isEmpty }
        }
        #expect(rates.withLock { $0 } == [0])
    }

    @Test func `an item replaced while it opens does not take its successor's audio device`() {
        let clock = ManualClock()
        let sink = CaptureAudioSink(clock: clock)
        let gate = OpeningGate()
        let first = PlayerItem(gate.before(SyntheticMedia()))
        let player = Player(playerItem: first, audioSink: sink)
        let second = PlayerItem(SyntheticMedia())
        player.replaceCurrentItem(with: second)
        player.play()
        second.pipeline.control.wait { $0.isRunning ? true : nil }
        gate.open()
        first.pipeline.control.wait { control -> Bool? in
            if case .closed = control.phase { return true }
            return nil
        }
        sink.advance(to: clock.time + MediaTime(value: 1, timescale: 10))
        #expect(sink.samples.contains { $0 != 0 })
    }
}

// SPDX-License-Identifier: Apache-2.0

import Observation
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Tracks like UI code: on the main actor.
@MainActor @Suite struct SwiftObservationTests {
    /// Suspends until a value read by `read` has changed.
    private func change(of read: () -> Void, after act: () -> Void) async {
        await withCheckedContinuation { continuation in
            withObservationTracking(read) { continuation.resume() }
            act()
        }
    }

    @Test func `a player's properties are tracked`() async {
        let player = Player(audioSink: nil)
        await change(of: { _ = player.rate }) { player.play() }
        #expect(player.rate == 1)
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
        await change(of: { _ = player.volume }) { player.volume = 0.5 }
        await change(of: { _ = player.isMuted }) { player.isMuted = true }
        await change(of: { _ = player.reasonForWaitingToPlay }) { player.pause() }
        #expect(player.reasonForWaitingToPlay == nil)
        let item = PlayerItem(asset: SyntheticAsset(.silent()))
        await change(of: { _ = player.currentItem }) { player.replaceCurrentItem(with: item) }
        await change(of: { _ = player.timeControlStatus }) { player.play() }
    }

    @Test func `a player's status and error are those of its current item, and are tracked`() async
    {
        let player = Player(audioSink: nil)
        #expect(player.status == .unknown && player.error == nil)
        await change(of: { _ = player.status }) {
            player.replaceCurrentItem(with: PlayerItem(asset: SyntheticAsset(.silent())))
        }
        #expect(player.status == .readyToPlay && player.error == nil)
        let failing = PlayerItem(.bad)
        await change(of: { _ = player.error }) { player.replaceCurrentItem(with: failing) }
        await #expect(throws: SyntheticMedia.badReason) { try await failing.waitUntilReady() }
        for await status in player.values(of: \.status) where status != .unknown {
            #expect(status == .failed(SyntheticMedia.badReason))
            break
        }
        #expect(player.error == SyntheticMedia.badReason)
        // The player plays again with another item.
        await change(of: { _ = player.error }) { player.replaceCurrentItem(with: nil) }
        #expect(player.status == .unknown && player.error == nil)
    }

    @Test func `an item's properties are tracked`() async {
        let gate = OpeningGate()
        let item = PlayerItem(gate.before(.silent()))
        let player = Player(playerItem: item, audioSink: nil)
        await change(of: { _ = (item.status, item.duration) }) { gate.open() }
        #expect(item.status == .readyToPlay)
        #expect(item.duration == MediaTime(value: 2, timescale: 1))
        #expect(item.seekableTimeRanges == [MediaTimeRange(start: .zero, end: item.duration)])
        #expect(item.presentationSize == PresentationSize(width: 320, height: 180))
        await change(of: { _ = item.state }) { item.seek(to: MediaTime(value: 1, timescale: 1)) }
        #expect(player.currentItem === item)
    }

    @Test func `a looper's properties are tracked`() async {
        let gate = OpeningGate()
        let player = QueuePlayer(audioSink: nil, masterClock: ManualClock())
        let looper = PlayerLooper(
            player: player, templateItem: PlayerItem(gate.before(.silent())))
        await change(of: { _ = (looper.status, looper.error) }) { gate.open() }
        #expect(looper.status == .ready)
        await change(of: { _ = looper.loopCount }) { looper.roundHasEnded() }
        await change(of: { _ = looper.state }) { looper.disableLooping() }
        #expect(looper.status == .cancelled)
    }

    /// Reads a player's rate whenever it has changed, like a view.
    @MainActor private final class View {
        let player: Player
        var seen: [Double] = []
        init(_ player: Player) { self.player = player }

        func track() {
            withObservationTracking {
                seen.append(player.rate)
            } onChange: {
                Task { @MainActor in self.track() }
            }
        }
    }

    @Test func `a view that tracks shows the last of many changes on another thread`() async {
        let player = Player(audioSink: nil)
        let view = View(player)
        view.track()
        await Task.detached {
            for rate in 1...1000 { player.rate = Double(rate % 16) }
            player.rate = 12.5
        }.value
        while view.seen.last != 12.5 { await Task.yield() }
    }
}

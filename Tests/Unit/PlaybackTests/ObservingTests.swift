// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

@Suite struct ObservingTests {
    private let dispatch = DispatchQueue(label: "test")
    private var queue: ObservationQueue { ObservationQueue(dispatch) }

    @Test func `an observer receives the initial value, then readiness`() {
        let item = PlayerItem(asset: SyntheticAsset(.silent()))
        let heard = Monitor<[PlayerItem.Status]>([])
        let token = item.observe(\.status, options: .initial, on: queue) { change in
            heard.change { $0.append(change.newValue) }
        }
        let player = Player(playerItem: item, audioSink: nil)
        #expect(heard.wait { $0.count == 2 ? $0 : nil } == [.unknown, .readyToPlay])
        token.cancel()
        #expect(player.currentItem === item)
    }

    @Test func `changes contain the old value if requested`() {
        let rig = Rig(.silent(), isPlaying: false)
        let heard = Monitor<[String]>([])
        let token = rig.player.observe(\.rate, options: .old, on: queue) { change in
            heard.change { $0.append("\(change.oldValue ?? -1) \(change.newValue)") }
        }
        rig.player.rate = 2
        rig.player.rate = 2
        rig.player.pause()
        #expect(heard.wait { $0.count == 2 ? $0 : nil } == ["0.0 2.0", "2.0 0.0"])
        token.cancel()
    }

    @Test func `playing to the end is reported once, after playing`() {
        let rig = Rig(.silent(), isPlaying: false)
        let heard = Monitor<[Player.TimeControlStatus]>([])
        let token = rig.player.observe(\.timeControlStatus, on: queue) { change in
            heard.change { $0.append(change.newValue) }
        }
        let ends = Monitor(0)
        let endToken = rig.item.observe(\.playedToEndCount, on: queue) { change in
            ends.change { $0 = change.newValue }
        }
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        for vsync in 0...121 { rig.advance(to: MediaTime(value: Int64(vsync), timescale: 60)) }
        #expect(ends.wait { $0 > 0 ? $0 : nil } == 1)
        let statuses = heard.wait { $0.last == .paused ? $0 : nil }
        #expect(
            statuses == [.playing, .paused]
                || statuses == [.waitingToPlayAtSpecifiedRate, .playing, .paused])
        token.cancel()
        endToken.cancel()
    }

    @Test func `no handler runs after its token is cancelled`() {
        let rig = Rig(.silent(), isPlaying: false)
        let count = Monitor(0)
        for _ in 0..<200 {
            let token = rig.player.observe(\.volume, on: queue) { _ in count.change { $0 += 1 } }
            rig.player.volume = rig.player.volume == 1 ? 0.5 : 1
            token.cancel()
            let before = count.withLock { $0 }
            dispatch.sync {}
            #expect(count.withLock { $0 } == before)
        }
    }

    @Test func `a handler may cancel its own observation`() {
        let rig = Rig(.silent(), isPlaying: false)
        let token = Monitor<ObservationToken?>(nil)
        let count = Monitor(0)
        let observation = rig.player.observe(\.isMuted, on: queue) { _ in
            token.withLock { $0 }?.cancel()
            count.change { $0 += 1 }
        }
        token.change { $0 = observation }
        rig.player.isMuted = true
        rig.player.isMuted = false
        #expect(count.wait { $0 > 0 ? $0 : nil } == 1)
        dispatch.sync {}
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `a sequence of values begins with the present one`() async {
        let rig = Rig(.silent(), isPlaying: false)
        var statuses: [PlayerItem.Status] = []
        for await status in rig.item.values(of: \.status) {
            statuses.append(status)
            break
        }
        #expect(statuses == [.readyToPlay])
    }

    @Test func `a released token ends the observation`() {
        let rig = Rig(.silent(), isPlaying: false)
        let count = Monitor(0)
        _ = rig.player.observe(\.volume, on: queue) { _ in count.change { $0 += 1 } }
        rig.player.volume = 0.25
        dispatch.sync {}
        #expect(count.withLock { $0 } == 0)
    }
}

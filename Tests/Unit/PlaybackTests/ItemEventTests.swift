// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

@Suite struct ItemEventTests {
    private let dispatch = DispatchQueue(label: "test")
    private var queue: ObservationQueue { ObservationQueue(dispatch) }

    private func listen(
        to item: PlayerItem
    ) -> (events: Monitor<[PlayerItem.Event]>, token: ObservationToken) {
        let events = Monitor<[PlayerItem.Event]>([])
        let token = item.observeEvents(on: queue) { event in events.change { $0.append(event) } }
        return (events, token)
    }

    private func playToEnd(_ rig: Rig) {
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        for frame in 0...61 {
            rig.advance(to: rig.clock.time + MediaTime(value: frame == 0 ? 0 : 1, timescale: 30))
        }
        rig.waitUntil { $0.hasPlayedToEnd }
    }

    @Test func `playing to the end is an event each time`() {
        let rig = Rig(.silent(), isPlaying: false)
        let (events, token) = listen(to: rig.item)
        playToEnd(rig)
        #expect(events.wait { $0.isEmpty ? nil : $0 } == [.didPlayToEndTime])
        rig.seek(to: .zero)
        playToEnd(rig)
        let all = events.wait { $0.count >= 3 ? $0 : nil }
        #expect(all == [.didPlayToEndTime, .timeJumped, .didPlayToEndTime])
        token.cancel()
    }

    @Test func `seeks, steps and declared starts are jumps, but not playing and pausing`() {
        let rig = Rig(.silent(), isPlaying: false)
        let (events, token) = listen(to: rig.item)
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.advance(to: MediaTime(value: 1, timescale: 2))
        rig.player.rate = 2
        rig.player.pause()
        rig.seek(to: rig.item.currentTime)
        dispatch.sync {}
        #expect(events.withLock { $0.isEmpty })
        rig.seek(to: MediaTime(value: 1, timescale: 1))
        dispatch.sync {}
        #expect(events.withLock { $0 } == [.timeJumped])
        rig.item.step(byCount: 1)
        events.wait { $0.count == 2 ? true : nil }
        rig.item.step(byCount: -2)
        events.wait { $0.count == 3 ? true : nil }
        rig.player.setRate(1, time: .zero, atHostTime: rig.clock.time)
        events.wait { $0.count == 4 ? true : nil }
        #expect(events.withLock { $0.allSatisfy { $0 == .timeJumped } })
        token.cancel()
    }

    @Test func `an item that cannot be opened has failed to play to its end`() {
        var media = SyntheticMedia.silent()
        let reason = MediaError(.damaged, subject: "film", cause: "its index is missing")
        media.faults.willOpen = { _ throws(MediaError) in throw reason }
        let item = PlayerItem(asset: SyntheticAsset(media))
        let (events, token) = listen(to: item)
        let player = Player(playerItem: item, audioSink: nil)
        #expect(events.wait { $0.isEmpty ? nil : $0 } == [.failedToPlayToEndTime(reason)])
        #expect(player.currentItem === item)
        token.cancel()
    }

    @Test func `a read error is reported, and not as the end`() {
        var media = SyntheticMedia.silent()
        let reason = MediaError(.damaged, subject: "film", cause: "the disk is broken")
        media.faults.willReadPacket = { count throws(MediaError) in
            if count == 30 { throw reason }
        }
        let item = PlayerItem(asset: SyntheticAsset(media))
        let (events, token) = listen(to: item)
        let clock = ManualClock()
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        player.play()
        events.wait { $0.contains(.newErrorLogEntry(reason)) ? true : nil }
        item.pipeline.control.wait { $0.isRunning ? true : nil }
        while !events.withLock({ $0.contains(.failedToPlayToEndTime(reason)) }) {
            clock.advance(by: MediaTime(value: 1, timescale: 30))
            dispatch.sync {}
        }
        #expect(events.withLock { !$0.contains(.didPlayToEndTime) })
        #expect(item.currentTime == MediaTime(value: 1, timescale: 1))
        #expect(player.rate == 0)
        token.cancel()
    }

    @Test func `frames around one that cannot be decoded are shown, and the error is an event`() {
        var media = SyntheticMedia.silent()
        media.faults.undecodableFrames = [10]
        let rig = Rig(media, isPlaying: false)
        let (events, token) = listen(to: rig.item)
        let state = Monitor<MediaError?>(nil)
        let stateToken = rig.item.observe(\.lastDecodingError, on: queue) { change in
            state.change { $0 = change.newValue }
        }
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        var shown: [Int] = []
        for frame in 0..<13 {
            rig.advance(to: MediaTime(value: Int64(frame), timescale: 30))
            if let number = rig.takeFrame() { shown.append(number) }
        }
        #expect(shown == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 11, 12])
        let error = state.wait { $0 }
        #expect(error.code == .decodingFailed)
        #expect(events.wait { $0.isEmpty ? nil : $0 } == [.newErrorLogEntry(error)])
        token.cancel()
        stateToken.cancel()
    }

    @Test func `the sequence of events ends with the item`() async {
        var (events, statuses): (AsyncStream<PlayerItem.Event>, AsyncStream<PlayerItem.Status>)
        do {
            let item = PlayerItem(asset: SyntheticAsset(.silent()))
            (events, statuses) = (item.events, item.values(of: \.status))
            item.seek(to: MediaTime(value: 1, timescale: 1), completion: nil)
        }
        var heard: [PlayerItem.Event] = []
        for await event in events { heard.append(event) }
        #expect(heard == [.timeJumped])
        var values: [PlayerItem.Status] = []
        for await status in statuses { values.append(status) }
        #expect(values == [.unknown])
    }

    @Test func `no event is delivered after its token is cancelled, also in a handler`() {
        let rig = Rig(.silent(), isPlaying: false)
        let count = Monitor(0)
        let held = Monitor<ObservationToken?>(nil)
        let token = rig.item.observeEvents(on: queue) { _ in
            held.withLock { $0 }?.cancel()
            count.change { $0 += 1 }
        }
        held.change { $0 = token }
        for second: Int64 in [1, 0, 1] { rig.seek(to: MediaTime(value: second, timescale: 1)) }
        dispatch.sync {}
        #expect(count.withLock { $0 } == 1)
    }
}

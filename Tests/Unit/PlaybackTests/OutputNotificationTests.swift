// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

@Suite struct OutputNotificationTests {
    private final class Listener: PlayerItemOutputPullDelegate {
        let heard = Monitor(Counts())

        struct Counts {
            var changes = 0
            var flushes = 0
        }

        func outputMediaDataWillChange(_ output: PlayerItemVideoOutput) {
            heard.change { $0.changes += 1 }
        }

        func outputSequenceWasFlushed(_ output: PlayerItemVideoOutput) {
            heard.change { $0.flushes += 1 }
        }
    }

    private let dispatch = DispatchQueue(label: "test")
    private var queue: ObservationQueue { ObservationQueue(dispatch) }

    @Test func `a request is answered once, when playback reaches the next frame`() {
        let rig = Rig(.silent(), isPlaying: false)
        let listener = Listener()
        rig.output.setDelegate(listener, queue: queue)
        _ = rig.takeFrame()
        rig.output.requestNotificationOfMediaDataChange(withAdvanceInterval: .zero)
        dispatch.sync {}
        #expect(listener.heard.withLock { $0.changes } == 0)
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.advance(to: MediaTime(value: 1, timescale: 30))
        listener.heard.wait { $0.changes == 1 ? true : nil }
        rig.player.pause()
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.advance(to: MediaTime(value: 1, timescale: 10))
        dispatch.sync {}
        #expect(listener.heard.withLock { $0.changes } == 1)
    }

    @Test func `a request is answered when a seek lands, and every seek is reported`() {
        let rig = Rig(.silent(), isPlaying: false)
        let listener = Listener()
        rig.output.setDelegate(listener, queue: queue)
        _ = rig.takeFrame()
        rig.output.requestNotificationOfMediaDataChange(withAdvanceInterval: .zero)
        rig.seek(to: MediaTime(value: 1, timescale: 1))
        listener.heard.wait { $0.changes == 1 && $0.flushes == 1 ? true : nil }
        #expect(rig.output.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
        rig.seek(to: .zero)
        listener.heard.wait { $0.flushes == 2 ? true : nil }
        #expect(listener.heard.withLock { $0.changes } == 1)
    }

    @Test func `a request is answered at once if there is a new frame`() {
        let rig = Rig(.silent(), isPlaying: false)
        let listener = Listener()
        rig.output.setDelegate(listener, queue: queue)
        rig.output.requestNotificationOfMediaDataChange(withAdvanceInterval: .zero)
        listener.heard.wait { $0.changes == 1 ? true : nil }
    }

    @Test func `an output belongs to the item that it was added to last`() {
        let (first, second) = (
            Rig(.silent(), isPlaying: false), Rig(.silent(), isPlaying: false)
        )
        second.item.add(first.output)
        first.item.remove(first.output)
        #expect(first.output.hasNewPixelBuffer(forItemTime: .zero))
        #expect(!second.item.suppressesPlayerRendering)
        first.output.suppressesPlayerRendering = true
        #expect(second.item.suppressesPlayerRendering)
    }

    @Test func `during playback a request is answered its interval before the next frame`() {
        let times = SyntheticFrameTimes(
            times: [.zero, MediaTime(value: 5, timescale: 1)],
            end: MediaTime(value: 10, timescale: 1))
        let rig = Rig(SyntheticMedia(frameTimes: times, sounds: []))
        _ = rig.takeFrame()
        let reported = Monitor<[MediaTime]>([])
        let wanted: [(Int64, Int64)] = [(100, 4900), (0, 5000), (6000, 0), (-1, 5000)]
        var tokens: [ObservationToken] = []
        for (interval, _) in wanted {
            tokens.append(
                rig.output.notifyOfMediaDataChange(
                    withAdvanceInterval: MediaTime(value: interval, timescale: 1000), on: queue
                ) { [item = rig.item] in reported.change { $0.append(item.currentTime) } })
        }
        dispatch.sync {}
        #expect(reported.withLock { $0 } == [.zero])
        rig.advance(to: MediaTime(value: 4899, timescale: 1000))
        dispatch.sync {}
        #expect(reported.withLock { $0.count } == 1)
        rig.advance(to: MediaTime(value: 4900, timescale: 1000))
        dispatch.sync {}
        #expect(reported.withLock { $0.count } == 2)
        rig.advance(to: MediaTime(value: 5, timescale: 1))
        dispatch.sync {}
        #expect(reported.withLock { $0.count } == 4)
        withExtendedLifetime(tokens) {}
    }

    @Test func `intervals that are not numeric count as zero`() {
        for interval: MediaTime in [.invalid, .indefinite, .positiveInfinity, .negativeInfinity] {
            let rig = Rig(.silent(), isPlaying: false)
            let listener = Listener()
            rig.output.setDelegate(listener, queue: queue)
            rig.output.requestNotificationOfMediaDataChange(withAdvanceInterval: interval)
            listener.heard.wait { $0.changes == 1 ? true : nil }
        }
    }

    @Test func `a cancelled request is not answered`() {
        let rig = Rig(.silent(), isPlaying: false)
        _ = rig.takeFrame()
        let count = Monitor(0)
        let token = rig.output.notifyOfMediaDataChange(
            withAdvanceInterval: .zero, on: queue
        ) { count.change { $0 += 1 } }
        token.cancel()
        rig.seek(to: MediaTime(value: 1, timescale: 1))
        dispatch.sync {}
        #expect(count.withLock { $0 } == 0)
    }

    @Test func `the suppression of the player's rendering is observable`() {
        let rig = Rig(.silent(), isPlaying: false)
        let heard = Monitor<[Bool]>([])
        let token = rig.item.observe(
            \.suppressesPlayerRendering, options: .initial, on: queue
        ) { change in heard.change { $0.append(change.newValue) } }
        let other = PlayerItemVideoOutput()
        other.suppressesPlayerRendering = true
        rig.item.add(other)
        rig.item.remove(other)
        rig.output.suppressesPlayerRendering = true
        #expect(heard.wait { $0.count == 4 ? $0 : nil } == [false, true, false, true])
        token.cancel()
    }
}

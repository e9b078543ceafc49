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

    @Test func `a request is answered once, when playback starts`() {
        let rig = Rig(.silent(), isPlaying: false)
        let listener = Listener()
        rig.output.setDelegate(listener, queue: queue)
        _ = rig.takeFrame()
        rig.output.requestNotificationOfMediaDataChange(withAdvanceInterval: .zero)
        dispatch.sync {}
        #expect(listener.heard.withLock { $0.changes } == 0)
        rig.player.play()
        listener.heard.wait { $0.changes == 1 ? true : nil }
        rig.player.pause()
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        dispatch.sync {}
        #expect(listener.heard.withLock { $0.changes } == 1)
    }

    @Test func `a request is answered when a seek lands, and every seek is told of`() {
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

    @Test func `a request is answered at once where there is a new picture already`() {
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
}

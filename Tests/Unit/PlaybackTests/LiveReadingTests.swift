// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The interruptions of reading a live stream.
@Suite struct LiveReadingTests {
    private struct StreamState {
        var isInterrupted = false
        var isWaiting = false
        /// The number of packets since the last seek.
        var readCount = 0
        var areSeeksHeld = false
        var hasBegunSeek = false
        /// Boolean values that indicate, for each seek, whether reading was interrupted at its end.
        var seeks: [Bool] = []
    }

    /// The demuxer of a live stream, whose reads wait after 20 packets, until they are interrupted.
    private final class StreamDemuxer: ForwardingDemuxer {
        let base: any Demuxer
        private let state: Monitor<StreamState>
        let liveMonitor: LiveMonitor?

        init(_ base: any Demuxer, _ state: Monitor<StreamState>) {
            self.base = base
            self.state = state
            let monitor = LiveMonitor(
                interruptHandler: { state.change { $0.isInterrupted = true } },
                resumeHandler: { state.change { $0.isInterrupted = false } })
            monitor.note(
                LiveWindow(
                    range: MediaTimeRange(start: .zero, end: MediaTime(value: 2, timescale: 1)),
                    recommendedOffset: .zero))
            liveMonitor = monitor
        }

        func readPacket() throws(MediaError) -> MediaPacket? {
            // A change that is made while waiting does not wake others that wait.
            state.change { $0.isWaiting = $0.readCount >= 20 }
            let isInterrupted = state.wait { state -> Bool? in
                if state.isInterrupted { return true }
                return state.isWaiting ? nil : false
            }
            state.change { state in
                state.isWaiting = false
                state.readCount += 1
            }
            if isInterrupted {
                throw MediaError(.timedOut, subject: "stream", cause: "a read was interrupted")
            }
            return try base.readPacket()
        }

        func seek(to time: MediaTime) throws(MediaError) {
            state.change { $0.hasBegunSeek = true }
            state.wait { $0.areSeeksHeld ? nil : true }
            state.change { state in
                state.readCount = 0
                state.seeks.append(state.isInterrupted)
            }
            try base.seek(to: time)
        }
    }

    /// Opens the stream for the player, and its media for the reader of reverse playback.
    private final class StreamOpener: AssetOpener, Sendable {
        let state = Monitor(StreamState())
        private let asset: SyntheticAsset
        private let hasOpened = Monitor(false)

        init(_ media: SyntheticMedia = .silent()) { asset = SyntheticAsset(media) }

        func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
            let isFirst = hasOpened.change { hasOpened -> Bool in
                defer { hasOpened = true }
                return !hasOpened
            }
            let demuxer = try asset.openDemuxer(cancellation: cancellation)
            return isFirst ? StreamDemuxer(demuxer, state) : demuxer
        }

        /// Waits until a read waits for the next packet.
        func waitUntilDry() { state.wait { $0.isWaiting ? true : nil } }
    }

    private static let early = MediaTime(value: 3, timescale: 10)
    private static let late = MediaTime(value: 6, timescale: 10)

    @Test func `a turn to reverse ends a read, and does not count as an outage`() {
        let stream = StreamOpener()
        let rig = Rig(PlayerItem(asset: Asset(opener: stream)), isPlaying: false)
        #expect(rig.seek(to: Self.early))
        stream.waitUntilDry()
        rig.player.rate = -1
        rig.waitUntil { $0.isRunning && $0.direction == .reverse }
        // The thread that reads has gone through the end of its read when it moves again.
        rig.player.rate = 1
        rig.waitUntil { $0.isRunning && $0.direction == .forward }
        #expect(rig.item.pipeline.control.withLock { $0.decodeErrors } == 0)
        #expect(rig.item.currentTime == Self.early)
        rig.player.replaceCurrentItem(with: nil)
        stream.state.change { $0.isInterrupted = true }
    }

    @Test func `a seek does not end the interruption for the seek that replaces it`() {
        let stream = StreamOpener()
        let rig = Rig(PlayerItem(asset: Asset(opener: stream)), isPlaying: false)
        stream.waitUntilDry()
        stream.state.change { ($0.areSeeksHeld, $0.hasBegunSeek) = (true, false) }
        rig.item.seek(to: Self.early, toleranceBefore: .zero, toleranceAfter: .zero)
        stream.state.wait { $0.hasBegunSeek ? true : nil }
        #expect(!stream.state.withLock { $0.isInterrupted })
        let landed = Monitor<Bool?>(nil)
        rig.item.seek(to: Self.late, toleranceBefore: .zero, toleranceAfter: .zero) { isDone in
            landed.change { $0 = isDone }
        }
        stream.state.change { $0.areSeeksHeld = false }
        #expect(landed.wait { $0 })
        #expect(stream.state.withLock { $0.seeks } == [true, false])
        #expect(rig.item.currentTime == Self.late)
        rig.player.replaceCurrentItem(with: nil)
        stream.state.change { $0.isInterrupted = true }
    }

    @Test func `a seek that is cancelled before the stream is open does not interrupt reading`() {
        let gate = DecoderGate(track: 0)
        var media = SyntheticMedia.silent()
        media.faults.willMakeDecoder = { gate.pass($0) }
        let stream = StreamOpener(media)
        let item = PlayerItem(asset: Asset(opener: stream))
        gate.close()
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        gate.waitUntilReached()
        item.seek(to: Self.early, toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(stream.state.withLock { $0.isInterrupted })
        item.cancelPendingSeeks()
        #expect(!stream.state.withLock { $0.isInterrupted })
        gate.open()
        item.pipeline.control.wait { $0.hasVideo || !$0.isAlive ? true : nil }
        #expect(item.error == nil)
        #expect(item.currentTime == .zero)
        player.replaceCurrentItem(with: nil)
        stream.state.change { $0.isInterrupted = true }
    }
}

// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The interruptions of the readers that reverse playback has for itself.
@Suite struct ReverseReadingTests {
    enum Stall: CaseIterable, Sendable {
        case opening, reading
    }

    private struct State {
        var openingCount = 0
        /// A Boolean value that indicates whether a call of the reader waits.
        var isWaiting = false
    }

    /// A source like a network that does not answer the reader that is opened second. The player is
    /// the first.
    private final class StallingOpener: AssetOpener, Sendable {
        let state = Monitor(State())
        private let asset: SyntheticAsset
        private let stall: Stall

        init(_ media: SyntheticMedia, _ stall: Stall) {
            asset = SyntheticAsset(media)
            self.stall = stall
        }

        func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
            let number = state.change { state -> Int in
                state.openingCount += 1
                return state.openingCount
            }
            let demuxer = try asset.openDemuxer(cancellation: cancellation)
            guard number == 2 else { return demuxer }
            if stall == .opening { try wait(cancellation) }
            return StallingDemuxer(demuxer) { [self] () throws(MediaError) in
                try wait(cancellation)
            }
        }

        /// Waits until the reader is cancelled.
        private func wait(_ cancellation: Cancellation) throws(MediaError) {
            state.change { $0.isWaiting = true }
            // A cancellation does not notify its readers, so they poll.
            while !cancellation.isCancelled {
                _ = state.wait(nanoseconds: 1_000_000) { _ -> Bool? in nil }
            }
            state.change { $0.isWaiting = false }
            throw MediaError(.cancelled, subject: "film", cause: "reading was cancelled")
        }

        func waitUntilStalled() { state.wait { $0.isWaiting ? true : nil } }
    }

    private final class StallingDemuxer: ForwardingDemuxer {
        let base: any Demuxer
        private let wait: @Sendable () throws(MediaError) -> Void

        init(_ base: any Demuxer, wait: @escaping @Sendable () throws(MediaError) -> Void) {
            self.base = base
            self.wait = wait
        }

        func readPacket() throws(MediaError) -> MediaPacket? {
            try wait()
            return nil
        }
    }

    private struct Rig {
        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let source: StallingOpener
        let sink: CaptureAudioSink
        let item: PlayerItem
        let player: Player

        /// Creates a rig that has begun to play in reverse from three seconds, and stalls.
        init(_ media: SyntheticMedia, _ stall: Stall) {
            source = StallingOpener(media, stall)
            sink = CaptureAudioSink(clock: clock)
            item = PlayerItem(asset: Asset(opener: source))
            player = Player(playerItem: item, audioSink: media.sounds.isEmpty ? nil : sink)
            seek(to: MediaTime(value: 3, timescale: 1))
            player.rate = -1
            source.waitUntilStalled()
        }

        func seek(to time: MediaTime) {
            let landed = Monitor<Bool?>(nil)
            item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { isDone in
                landed.change { $0 = isDone }
            }
            #expect(landed.wait { $0 })
        }

        func waitUntilRunning(_ direction: PlaybackDirection) {
            item.pipeline.control.wait { $0.isRunning && $0.direction == direction ? true : nil }
        }

        /// The numbers of the samples that were heard last, without silence around them.
        var numbers: [Int] {
            let samples = sink.runs.last?.samples ?? []
            let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            return left.filter { $0 != 0 }.map { Int(($0 * Float(1 << 22)).rounded()) }
        }
    }

    private static let duration = MediaTime(value: 4, timescale: 1)
    private static let sound = SyntheticMedia(
        frameTimes: nil, sounds: [SyntheticSound(.sampleNumbers, duration: duration)])

    @Test(arguments: Stall.allCases)
    func `a turn ends a read of reversed audio`(stall: Stall) {
        let rig = Rig(Self.sound, stall)
        rig.player.rate = 1
        rig.waitUntilRunning(.forward)
        #expect(!rig.source.state.withLock { $0.isWaiting })
        #expect(rig.item.lastDecodingError == nil)
    }

    @Test(arguments: Stall.allCases)
    func `a seek ends a read of reversed audio, and playback continues at its target`(
        stall: Stall
    ) throws {
        let rig = Rig(Self.sound, stall)
        rig.seek(to: MediaTime(value: 2, timescale: 1))
        rig.waitUntilRunning(.reverse)
        rig.sink.advance(milliseconds: 300, on: rig.clock, playing: rig.item)
        let numbers = rig.numbers
        #expect(numbers.first == 95_999)
        #expect(numbers.count > 4800)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 - 1 })
        #expect(rig.item.lastDecodingError == nil)
        #expect(rig.source.state.withLock { $0.openingCount } == 3)
    }

    @Test(arguments: Stall.allCases)
    func `a seek ends a read of reversed video, and playback continues at its target`(
        stall: Stall
    ) {
        let rig = Rig(.silent(seconds: 4), stall)
        rig.seek(to: MediaTime(value: 2, timescale: 1))
        rig.waitUntilRunning(.reverse)
        #expect(rig.item.lastDecodingError == nil)
        #expect(rig.source.state.withLock { $0.openingCount } == 3)
    }

    @Test(arguments: Stall.allCases)
    func `the removal of the item ends a read of reversed audio`(stall: Stall) {
        let rig = Rig(Self.sound, stall)
        rig.player.replaceCurrentItem(with: nil)
        rig.source.state.wait { $0.isWaiting ? nil : true }
    }
}

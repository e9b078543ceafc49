// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadPlayback

/// A sink that reports its status while it holds a lock that `stop` also takes, as sinks may.
private final class TellingSink: AudioSink {
    private let sink = NullAudioSink(clock: ManualClock())
    private let tell = Monitor<@Sendable () -> Void>({})

    var format: AudioFormat { sink.format }
    var clock: any MediaClock { sink.clock }
    var latency: MediaTime { sink.latency }
    var status: AudioSinkStatus { sink.status }
    func start(_ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void) {
        tell.change { $0 = onStatusChange }
        sink.start(source, onStatusChange: onStatusChange)
    }
    func resume() { sink.resume() }
    func pause() { sink.pause() }
    func stop() {
        tell.change { $0 = {} }
        sink.stop()
    }

    func tellStatus() { tell.withLock { $0() } }
}

/// The release of a player while others call it.
@Suite struct PlayerReleaseTests {
    @Test func `a player is not deallocated in its sink's status handler`() {
        for _ in 0..<100 {
            let sink = TellingSink()
            let isOver = Monitor(false)
            let thread = WorkerThread(name: "teller") {
                while !isOver.withLock({ $0 }) { sink.tellStatus() }
            }
            var player: Player? = Player(
                playerItem: PlayerItem(asset: SyntheticAsset(SyntheticMedia())), audioSink: sink)
            let isReady = Monitor(false)
            player?.currentItem?.pipeline.whenReady { _ in isReady.change { $0 = true } }
            isReady.wait { $0 ? true : nil }
            player = nil
            isOver.change { $0 = true }
            thread.join()
        }
    }
}

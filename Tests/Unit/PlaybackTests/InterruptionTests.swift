// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadPlayback

/// A sink that is interrupted when the test requests it.
private final class InterruptedSink: AudioSink {
    private let sink = NullAudioSink(clock: ManualClock())
    private let handler = LockedHandler<AudioInterruption>()

    var format: AudioFormat { sink.format }
    var clock: any MediaClock { sink.clock }
    var latency: MediaTime { sink.latency }
    var status: AudioSinkStatus { sink.status }
    func start(_ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void) {
        sink.start(source, onStatusChange: onStatusChange)
    }
    func resume() { sink.resume() }
    func pause() { sink.pause() }
    func stop() { sink.stop() }
    func onInterruption(_ handler: @escaping @Sendable (AudioInterruption) -> Void) {
        self.handler.set(handler)
    }

    func send(_ request: AudioInterruption) { handler(request) }
}

@Suite struct InterruptionTests {
    private let sink = InterruptedSink()
    private let player: Player

    init() {
        let media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: 2, timescale: 1)))
        player = Player(playerItem: PlayerItem(asset: SyntheticAsset(media)), audioSink: sink)
    }

    @Test func `an interruption pauses playback observably, and its end resumes it`() {
        player.rate = 1.5
        let rates = Monitor<[Double]>([])
        let token = player.observe(\.rate) { change in
            rates.change { $0.append(change.newValue) }
        }
        sink.send(.began)
        #expect(player.rate == 0 && player.isInterrupted && player.state.isInterrupted)
        sink.send(.began)
        sink.send(.ended)
        #expect(player.rate == 1.5 && !player.isInterrupted && !player.state.isInterrupted)
        let reported = rates.wait { $0.count < 2 ? nil : $0 }
        #expect(reported == [0, 1.5])
        token.cancel()
    }

    @Test func `a paused player stays paused after an interruption`() {
        sink.send(.began)
        sink.send(.ended)
        #expect(player.rate == 0)
        sink.send(.ended)
        #expect(player.rate == 0)
    }

    @Test func `a rate set during an interruption is kept`() {
        player.rate = 1
        sink.send(.began)
        player.rate = 2
        sink.send(.ended)
        #expect(player.rate == 2)
        sink.send(.began)
        player.pause()
        sink.send(.ended)
        #expect(player.rate == 0)
        player.rate = 1
        sink.send(.began)
        player.playImmediately(atRate: 0.5)
        sink.send(.ended)
        #expect(player.rate == 0.5)
    }

    @Test func `a rate set just as an interruption begins is kept`() {
        player.rate = 1
        // The observer of the pause pauses again, before the interruption is recorded.
        let remove = player.observers.observeAtOnce { [player] _, new in
            if new.rate == 0 { player.pause() }
        }
        sink.send(.began)
        remove()
        sink.send(.ended)
        #expect(player.rate == 0)
    }
}

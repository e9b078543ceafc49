// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Devices that must be woken before audio plays.
@Suite struct SleepingDeviceTests {
    /// A device that sleeps until the test wakes it.
    private final class Sleeper: AudioSink {
        let sink: CaptureAudioSink
        private let state = Monitor<(isAwake: Bool, tell: @Sendable () -> Void)>((false, {}))

        init(clock: ManualClock) { sink = CaptureAudioSink(clock: clock) }

        var format: AudioFormat { sink.format }
        var clock: any MediaClock { sink.clock }
        var latency: MediaTime { sink.latency }
        var status: AudioSinkStatus { sink.status }
        var isAwake: Bool { state.withLock { $0.isAwake } }

        func start(
            _ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void
        ) {
            state.change { $0.tell = onStatusChange }
            sink.start(source, onStatusChange: onStatusChange)
        }

        func resume() { sink.resume() }
        func pause() { sink.pause() }
        func stop() { sink.stop() }

        func wake() {
            let tell = state.change { state in
                state.isAwake = true
                return state.tell
            }
            tell()
        }
    }

    private struct Rig {
        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let device: Sleeper
        let item: PlayerItem
        let player: Player

        init() {
            let duration = MediaTime(value: 4, timescale: 1)
            device = Sleeper(clock: clock)
            item = PlayerItem(
                asset: SyntheticAsset(
                    SyntheticMedia(
                        frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
                        sounds: [SyntheticSound(.sampleNumbers, duration: duration)])))
            player = Player(playerItem: item, audioSink: device)
        }

        func waitUntilRunning() { item.pipeline.control.wait { $0.isRunning ? true : nil } }

        /// Plays, until the device is being woken.
        func playAsleep() async {
            _ = await player.preroll(atRate: 1)
            player.play()
            item.pipeline.post(.look)
            #expect(device.status == .running)
        }

        /// The numbers of the samples that were played.
        var heard: [Int] {
            let samples = device.sink.samples
            return stride(from: 0, to: samples.count, by: 2).map {
                Int((samples[$0] * Float(1 << 22)).rounded())
            }
        }
    }

    @Test func `playback starts when the device has woken, with all of its audio`() async {
        let rig = Rig()
        await rig.playAsleep()
        rig.device.sink.advance(to: rig.clock.time + MediaTime(value: 1, timescale: 2))
        #expect(rig.item.currentTime == .zero)
        #expect(rig.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        rig.device.wake()
        rig.waitUntilRunning()
        rig.device.sink.advance(
            milliseconds: 500, on: rig.clock, playing: rig.item)
        let heard = rig.heard.drop { $0 == 0 }
        #expect(heard.count > 20_000)
        // The first sample of the video is zero, so the first audible one is 1.
        #expect(heard.first == 1)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }

    @Test func `a pause while the device wakes lets it sleep`() async {
        let rig = Rig()
        await rig.playAsleep()
        rig.player.pause()
        #expect(rig.device.status == .paused)
        rig.device.wake()
        rig.device.sink.advance(to: rig.clock.time + MediaTime(value: 1, timescale: 2))
        #expect(rig.item.currentTime == .zero)
        #expect(rig.heard.allSatisfy { $0 == 0 })
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import RealTimeTestSupport
import Testing

@testable import PlayheadPlayback

/// Playback with an audio device that records samples and their times.
@Suite struct SoundTests {
    /// A video of four seconds whose samples are their own numbers.
    private static let media: SyntheticMedia = {
        let duration = MediaTime(value: 4, timescale: 1)
        return SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
            sounds: [SyntheticSound(.sampleNumbers, duration: duration)])
    }()

    private struct SoundRig {
        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let sink: CaptureAudioSink
        let item: PlayerItem
        let player: Player

        init(keyframeInterval: Int = 1) {
            var media = SoundTests.media
            media.keyframeInterval = keyframeInterval
            item = PlayerItem(asset: SyntheticAsset(media))
            sink = CaptureAudioSink(clock: clock)
            player = Player(
                playerItem: item,
                audioSink: GuardedSink(sink) { Issue.record("\($0.description)") })
        }

        func play() {
            player.play()
            item.pipeline.control.wait { $0.isRunning ? true : nil }
        }

        func advance(milliseconds: Int64) {
            sink.advance(
                milliseconds: milliseconds, on: clock, playing: item, delayedBy: player.audioDelay)
        }

        /// The numbers of the samples played since the last silence.
        var lastStretch: [Int] {
            let samples = sink.samples
            let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            let start = left.lastIndex(of: 0).map { $0 + 1 } ?? 0
            return left[start...].map { Int(($0 * Float(1 << 22)).rounded()) }
        }

        /// A Boolean value that indicates whether every sample of the last stretch follows the
        /// previous one.
        var isLastStretchUnbroken: Bool {
            let numbers = lastStretch
            return zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }
        }

        /// The item time of the timeline, in sample frames.
        var currentFrame: Int {
            Int(
                item.currentTime.converted(
                    toTimescale: 48000, method: .roundTowardNegativeInfinity
                ).value)
        }
    }

    @Test func `the timeline runs on the audio device's clock`() {
        let rig = SoundRig()
        rig.play()
        #expect(rig.item.timebase.ultimateMasterClock === rig.clock)
    }

    @Test func `the sample heard at a moment is that of the item time`() throws {
        let rig = SoundRig()
        rig.play()
        let start = try #require(rig.item.timebase.hostTime(at: .zero))
        #expect(start - rig.clock.time == rig.sink.latency)
        rig.advance(milliseconds: 1000)
        let run = try #require(rig.sink.runs.last)
        let silence = (start - MediaTime(nanoseconds: run.clockTime)).converted(toTimescale: 48000)
        // Sample number 1 is played one sample after the start.
        let first = try #require(run.samples.firstIndex { $0 != 0 })
        #expect(first / 2 == Int(silence.value) + 1)
        #expect(rig.lastStretch.first == 1)
        #expect(rig.isLastStretchUnbroken)
    }

    @Test func `pausing and resuming neither loses nor repeats a sample`() {
        let rig = SoundRig()
        rig.play()
        rig.advance(milliseconds: 500)
        rig.player.pause()
        let paused = rig.currentFrame
        #expect(rig.isLastStretchUnbroken)
        #expect(abs((rig.lastStretch.last ?? 0) - paused) <= 1)
        rig.advance(milliseconds: 300)
        #expect(rig.currentFrame == paused)
        rig.play()
        rig.advance(milliseconds: 500)
        #expect(rig.isLastStretchUnbroken)
        #expect(abs((rig.lastStretch.first ?? 0) - paused) <= 1)
    }

    /// The queue of packets is full, and contains no audio.
    @Test func `a player starts shortly before the end of audio that ends early`() {
        let media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: 10, timescale: 1)),
            sounds: [SyntheticSound(.sampleNumbers, duration: MediaTime(value: 3, timescale: 1))])
        let item = PlayerItem(asset: SyntheticAsset(media))
        let sink = CaptureAudioSink(clock: ManualClock())
        let player = Player(playerItem: item, audioSink: sink)
        item.seek(
            to: MediaTime(value: 29, timescale: 10), toleranceBefore: .zero, toleranceAfter: .zero)
        player.play()
        let hasStarted = item.pipeline.control.wait(nanoseconds: 120_000_000_000) {
            $0.isRunning ? true : nil
        }
        #expect(hasStarted == true)
    }

    @Test(arguments: [1, 5, 10, 20])
    func `delayed audio is complete, also over pauses`(tenths: Int64) {
        let rig = SoundRig()
        rig.player.audioDelay = MediaTime(value: tenths, timescale: 10)
        let delayed = Int(tenths) * 4800
        rig.play()
        rig.advance(milliseconds: tenths * 100 + 500)
        #expect(rig.lastStretch.first == 1)
        #expect(rig.isLastStretchUnbroken)
        rig.player.pause()
        let paused = rig.currentFrame - delayed
        // Audio that the device had received ahead is not played.
        #expect(abs((rig.lastStretch.last ?? 0) - paused) <= 1)
        rig.advance(milliseconds: 300)
        rig.play()
        rig.advance(milliseconds: 500)
        #expect(rig.isLastStretchUnbroken)
        #expect(abs((rig.lastStretch.first ?? 0) - paused) <= 1)
        rig.player.pause()
        #expect(abs((rig.lastStretch.last ?? 0) - rig.currentFrame + delayed) <= 1)
    }

    @Test func `an unheard beginning at a pause is heard after it`() {
        let rig = SoundRig()
        rig.player.audioDelay = MediaTime(value: 1, timescale: 1)
        rig.play()
        rig.advance(milliseconds: 500)
        rig.player.pause()
        #expect(rig.sink.samples.allSatisfy { $0 == 0 })
        rig.play()
        rig.advance(milliseconds: 1500)
        #expect(rig.lastStretch.first == 1)
        #expect(rig.isLastStretchUnbroken)
    }

    /// The old audio is about to be discarded.
    @Test func `playback does not begin with audio from before a seek`() {
        let rig = SoundRig()
        rig.play()
        rig.advance(milliseconds: 100)
        rig.player.pause()
        let pipeline = rig.item.pipeline
        pipeline.control.wait { pipeline.isPrimed($0) ? true : nil }
        let generation = pipeline.control.withLock { $0.generation }
        pipeline.note(.audioFlushed(generation: generation - 1))
        #expect(!pipeline.control.withLock { pipeline.isPrimed($0) })
        pipeline.note(.audioFlushed(generation: generation))
    }

    @Test func `after a seek audio continues at its target`() {
        let rig = SoundRig()
        rig.play()
        rig.advance(milliseconds: 300)
        let landed = Monitor<Bool?>(nil)
        rig.item.seek(
            to: MediaTime(value: 5, timescale: 2), toleranceBefore: .zero, toleranceAfter: .zero
        ) { done in landed.change { $0 = done } }
        #expect(landed.wait { $0 })
        rig.item.pipeline.control.wait { $0.isRunning ? true : nil }
        rig.advance(milliseconds: 500)
        #expect(rig.isLastStretchUnbroken)
        #expect(rig.lastStretch.first == 120_000)
    }

    @Test func `after redirected seeks audio continues at their target`() {
        let rig = SoundRig(keyframeInterval: 120)
        for (tenths, wanted) in [(2, 9_600), (25, 120_000), (11, 52_800)] as [(Int64, Int)] {
            let landed = Monitor<Bool?>(nil)
            rig.item.seek(
                to: MediaTime(value: tenths, timescale: 10), toleranceBefore: .zero,
                toleranceAfter: .zero
            ) { done in landed.change { $0 = done } }
            #expect(landed.wait { $0 })
            rig.play()
            rig.advance(milliseconds: 300)
            rig.player.pause()
            #expect(rig.isLastStretchUnbroken)
            #expect(abs((rig.lastStretch.first ?? 0) - wanted) <= 1)
        }
    }

    @Test func `audio that arrives too late does not delay the end`() {
        var media = Self.media
        let gate = Monitor(true)
        media.faults.willReadPacket = { _ throws(MediaError) in _ = gate.wait { $0 ? true : nil } }
        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let sink = CaptureAudioSink(clock: clock)
        let item = PlayerItem(asset: SyntheticAsset(media))
        let player = Player(playerItem: item, audioSink: sink)
        player.play()
        item.pipeline.control.wait { $0.isRunning ? true : nil }
        gate.change { $0 = false }
        sink.advance(to: clock.time + MediaTime(value: 6, timescale: 1))
        // The sink stops from now on: it frees no capacity for more than two seconds of audio.
        gate.change { $0 = true }
        item.pipeline.control.wait { $0.hasPlayedToEnd ? true : nil }
        #expect(item.currentTime == MediaTime(value: 4, timescale: 1))
    }

    @Test func `a seek to the last frame lands with much audio left to read`() {
        var media = Self.media
        media.frameTimes = SyntheticFrameTimes(
            framesPerSecond: 30, duration: MediaTime(value: 1, timescale: 1))
        media.keyframeInterval = 60
        let item = PlayerItem(asset: SyntheticAsset(media))
        let sink = CaptureAudioSink(clock: ManualClock(time: MediaTime(value: 100, timescale: 1)))
        let player = Player(playerItem: item, audioSink: sink)
        let landed = Monitor<Bool?>(nil)
        item.seek(
            to: MediaTime(value: 3, timescale: 2), toleranceBefore: .zero,
            toleranceAfter: .positiveInfinity
        ) { done in landed.change { $0 = done } }
        #expect(landed.wait(nanoseconds: 120_000_000_000) { $0 } == true)
        #expect(player.currentItem?.currentTime == MediaTime(value: 3, timescale: 2))
    }

    @Test func `playback ends when its audio has been heard`() {
        let rig = SoundRig()
        rig.play()
        rig.advance(milliseconds: 4060)
        rig.item.pipeline.control.wait { $0.hasPlayedToEnd ? true : nil }
        #expect(rig.item.currentTime == MediaTime(value: 4, timescale: 1))
        #expect(rig.item.statistics.audioUnderruns == 0)
    }
}

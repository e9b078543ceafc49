// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Reverse playback.
@Suite struct ReverseTests {
    private static let rates = [-0.5, -1, -2, -4]

    /// Returns a rig that plays in reverse from a time, after it has started.
    private func rig(
        _ media: SyntheticMedia, from time: MediaTime, rate: Double, cache: Int? = nil
    ) -> Rig {
        let rig = Rig(media, isPlaying: false)
        if let cache { rig.item.reverseCacheByteLimit = cache }
        #expect(rig.seek(to: time))
        rig.player.rate = rate
        rig.waitUntil { $0.isRunning }
        return rig
    }

    /// Plays in reverse by a third of a frame at a time, until playback ends, and records the item
    /// times at which each frame is available.
    private func watch(_ rig: Rig, rate: Double, step: MediaTime) -> [(frame: Int, time: MediaTime)]
    {
        var shown: [(Int, MediaTime)] = []
        while rig.player.rate != 0 {
            let time = rig.item.currentTime
            _ = rig.output.waitForPixelBuffer(after: time)
            if rig.output.hasNewPixelBuffer(forItemTime: time), let frame = rig.takeFrame() {
                shown.append((frame, time))
            }
            rig.clock.advance(to: rig.clock.time + step.multiplied(by: 1, over: 3))
            if rig.item.currentTime <= .zero { rig.waitUntil { $0.hasPlayedToEnd } }
        }
        if let frame = rig.takeFrame(), frame != shown.last?.0 {
            shown.append((frame, rig.item.currentTime))
        }
        return shown
    }

    @Test(arguments: rates)
    func `backwards every frame is shown for its own interval`(rate: Double) {
        let rig = rig(
            .silent(seconds: 2, keyframeInterval: 12, bidirectionalFrames: 2),
            from: MediaTime(value: 59, timescale: 30), rate: rate)
        // A third of a frame in item time, at any rate.
        let frame = MediaTime(value: 1, timescale: 30) * (1 / abs(rate))
        let shown = watch(rig, rate: rate, step: frame)
        #expect(shown.map(\.frame) == (0..<60).reversed())
        for (number, time) in shown {
            let start = MediaTime(value: Int64(number), timescale: 30)
            #expect(time >= start - FrameQueue.tolerance)
            // Taken as soon as it is due: within the last third of its interval.
            #expect(number == 59 || time > start + MediaTime(value: 1, timescale: 46))
        }
        #expect(rig.item.hasPlayedToEnd)
        #expect(rig.item.currentTime == .zero)
        #expect(rig.item.statistics.droppedFrames == 0)
    }

    @Test func `backwards a variable frame rate is kept, with any keyframes`() {
        var time: Int64 = 0
        var times: [MediaTime] = []
        for index in 0..<40 {
            times.append(MediaTime(value: time, timescale: 1000))
            time += [7, 33, 40, 100][index * 7 % 4]
        }
        let end = MediaTime(value: time, timescale: 1000)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(times: times, end: end), sounds: [])
        media.keyframeInterval = 16
        media.bidirectionalFrames = 1
        let rig = rig(media, from: times[39], rate: -1)
        for index in (0..<40).reversed() {
            rig.clock.advance(to: rig.clock.time + (rig.item.currentTime - times[index]))
            _ = rig.output.waitForPixelBuffer(after: times[index])
            #expect(rig.output.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
            #expect(rig.takeFrame() == index)
            let later = times[index] + MediaTime(value: 1, timescale: 1000)
            #expect(index == 39 || !rig.output.hasNewPixelBuffer(forItemTime: later))
        }
    }

    /// Frames 24 and 27 are decoded before 25 and 26; if 25 is the last one required, 27 is not the
    /// frame after 23.
    @Test func `backwards frames without a time follow the previous one, also with damage`() {
        var media = SyntheticMedia.silent(seconds: 1, keyframeInterval: 12, bidirectionalFrames: 2)
        media.faults.undecodableFrames = [24]
        media.faults.framesWithoutTime = [27]
        let rig = rig(media, from: MediaTime(value: 29, timescale: 30), rate: -1)
        let shown = watch(rig, rate: -1, step: MediaTime(value: 1, timescale: 30))
        #expect(shown.map(\.frame) == (0..<30).filter { $0 != 24 }.reversed())
    }

    @Test func `backwards a group that does not fit into memory is shown completely, in parts`() {
        // Six frames of 320 x 180 fit into half a mebibyte; the group has 90.
        let rig = rig(
            .silent(seconds: 3, keyframeInterval: 1000), from: MediaTime(value: 89, timescale: 30),
            rate: -1, cache: 1 << 20)
        let shown = watch(rig, rate: -1, step: MediaTime(value: 1, timescale: 30))
        #expect(shown.map(\.frame) == (0..<90).reversed())
    }

    @Test func `backwards no more is decoded ahead than the limit allows`() {
        let decoded = Monitor<Int>(0)
        var media = SyntheticMedia.silent(seconds: 30, keyframeInterval: 10)
        media.faults.willDecodeFrame = { _ throws(MediaError) in decoded.change { $0 += 1 } }
        let rig = rig(media, from: MediaTime(value: 25, timescale: 1), rate: -1, cache: 4 << 20)
        rig.item.pipeline.frames.waitUntilFull()
        // 48 frames fit into 4 MiB, and before them one to ten have been decoded forward.
        #expect(decoded.withLock { $0 } < 100)
    }

    @Test func `the frame stays during a reversal`() {
        let rig = Rig(.silent(keyframeInterval: 15))
        rig.advance(to: MediaTime(value: 1, timescale: 1))
        #expect(rig.takeFrame() == 30)
        rig.player.rate = -1
        rig.waitUntil { $0.isRunning && $0.direction == .reverse }
        #expect(rig.takeFrame() == 30)
        rig.advance(to: MediaTime(value: 3, timescale: 2))
        #expect(rig.item.currentTime == MediaTime(value: 1, timescale: 2))
        #expect(rig.takeFrame() == 15)
        rig.player.rate = 2
        rig.waitUntil { $0.isRunning && $0.direction == .forward }
        #expect(rig.takeFrame() == 15)
        rig.advance(to: MediaTime(value: 2, timescale: 1))
        #expect(rig.takeFrame() == 45)
    }

    @Test func `after a seek backward playback continues backwards`() {
        let rig = rig(
            .silent(keyframeInterval: 15), from: MediaTime(value: 1, timescale: 2), rate: -1)
        rig.seek(to: MediaTime(value: 3, timescale: 2))
        rig.waitUntil { $0.isRunning }
        #expect(rig.takeFrame() == 45)
        rig.advance(to: MediaTime(value: 1, timescale: 1))
        #expect(rig.takeFrame() == 15)
    }

    @Test func `steps work in both directions after backward playback`() {
        let rig = rig(
            .silent(keyframeInterval: 15), from: MediaTime(value: 1, timescale: 1), rate: -1)
        rig.advance(to: MediaTime(value: 1, timescale: 2))
        #expect(rig.takeFrame() == 15)
        rig.player.pause()
        rig.item.step(byCount: 3)
        rig.waitUntil { $0.steps.isEmpty && $0.seek == nil }
        #expect(rig.takeFrame() == 18)
        rig.player.rate = -1
        rig.waitUntil { $0.isRunning }
        rig.player.pause()
        rig.item.step(byCount: -2)
        rig.waitUntil { $0.steps.isEmpty && $0.seek == nil }
        #expect(rig.takeFrame() == 16)
    }

    @Test func `an item plays backwards from its end and forwards from its beginning`() {
        let rig = Rig(.silent(seconds: 1, keyframeInterval: 10))
        rig.clock.advance(to: MediaTime(value: 2, timescale: 1))
        rig.waitUntil { $0.hasPlayedToEnd }
        rig.player.rate = 1
        #expect(rig.player.rate == 0)
        rig.player.rate = -1
        rig.waitUntil { $0.isRunning }
        #expect(!rig.item.hasPlayedToEnd)
        rig.clock.advance(to: MediaTime(value: 4, timescale: 1))
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.item.currentTime == .zero && rig.player.rate == 0)
        #expect(rig.item.state.playedToEndCount == 2)
        rig.player.rate = -1
        #expect(rig.player.rate == 0)
        rig.player.rate = 1
        rig.waitUntil { $0.isRunning }
        rig.advance(to: MediaTime(value: 9, timescale: 2))
        #expect(rig.takeFrame() == 15)
    }

    @Test func `a backward start can be declared for a host time`() {
        let rig = Rig(.silent(keyframeInterval: 15), isPlaying: false)
        let start = rig.clock.time + MediaTime(value: 1, timescale: 4)
        rig.player.setRate(-2, time: MediaTime(value: 3, timescale: 2), atHostTime: start)
        rig.waitUntil { $0.hasVideo && $0.direction == .reverse }
        #expect(rig.item.currentTime == MediaTime(value: 3, timescale: 2))
        rig.advance(to: start + MediaTime(value: 1, timescale: 4))
        #expect(rig.takeFrame() == 30)
    }

    /// Returns a rig whose decoder takes as long as the playhead does for three and a half frames.
    private func slowRig(
        keyframeInterval: Int, bidirectionalFrames: Int, from time: MediaTime, rate: Double
    ) -> Rig {
        let slowness = Monitor<ManualClock?>(nil)
        var media = SyntheticMedia.silent(
            seconds: 60, keyframeInterval: keyframeInterval,
            bidirectionalFrames: bidirectionalFrames)
        media.faults.willDecodeFrame = { _ throws(MediaError) in
            guard let clock = slowness.withLock({ $0 }) else { return }
            clock.advance(by: MediaTime(value: 7, timescale: 960))
        }
        let rig = Rig(media, isPlaying: false)
        #expect(rig.seek(to: time))
        rig.player.rate = rate
        rig.waitUntil { $0.isRunning }
        slowness.change { $0 = rig.clock }
        return rig
    }

    /// Takes frames until the playhead has passed a time; returns their number, and the largest
    /// deviation.
    private func follow(_ rig: Rig, until isOver: (MediaTime) -> Bool) -> (Int, Double) {
        var last: MediaTime?
        var count = 0
        var worst = 0.0
        while rig.player.rate != 0, !isOver(rig.item.currentTime) {
            let time = rig.item.currentTime
            guard let (_, shown) = rig.output.copyPixelBuffer(forItemTime: time) else { continue }
            if shown == last {
                // While the decoder has enough frames, only this advances the clock.
                if rig.item.pipeline.frames.isFullOrEnded {
                    rig.clock.advance(by: MediaTime(value: 1, timescale: 1000))
                }
                continue
            }
            last = shown
            count += 1
            // The decoder may have advanced the clock meanwhile.
            let now = rig.item.currentTime
            worst = max(worst, min(abs((time - shown).seconds), abs((now - shown).seconds)))
        }
        return (count, worst)
    }

    @Test func `if decoding is too slow for the rate, frames are still shown in both directions`() {
        let forward = slowRig(
            keyframeInterval: 30, bidirectionalFrames: 2, from: .zero, rate: 16)
        let (count, worst) = follow(forward) { $0 > MediaTime(value: 50, timescale: 1) }
        #expect(count >= 15)
        #expect(worst < 8)
        forward.player.pause()
        forward.waitUntil { $0.seek == nil }
        let paused = forward.item.currentTime
        _ = forward.output.waitForPixelBuffer(after: paused)
        #expect(forward.takeFrame() == Int((paused.seconds * 30 + 1e-5).rounded(.down)))
        let back = slowRig(
            keyframeInterval: 30, bidirectionalFrames: 2,
            from: MediaTime(value: 59, timescale: 1), rate: -16)
        let (backCount, backWorst) = follow(back) { $0 < MediaTime(value: 8, timescale: 1) }
        #expect(backCount >= 15)
        #expect(backWorst < 8)
        back.player.pause()
        back.waitUntil { $0.seek == nil }
        let stopped = back.item.currentTime
        _ = back.output.waitForPixelBuffer(after: stopped)
        #expect(back.takeFrame() == Int((stopped.seconds * 30 + 1e-5).rounded(.down)))
    }

    @Test func `an item reports its capabilities`() async throws {
        let item = PlayerItem(asset: SyntheticAsset(.silent()))
        #expect(!item.canPlayReverse && !item.canStepForward)
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        try await item.waitUntilReady()
        #expect(item.canPlayReverse && item.canPlayFastReverse && item.canPlaySlowReverse)
        #expect(item.canPlayFastForward && item.canPlaySlowForward)
        #expect(item.canStepForward && item.canStepBackward)
        var media = SyntheticMedia.silent()
        media.declaresDuration = false
        let live = PlayerItem(asset: SyntheticAsset(media))
        player.replaceCurrentItem(with: live)
        try await live.waitUntilReady()
        #expect(!live.canPlayReverse && !live.canPlayFastForward && live.canPlaySlowForward)
    }
}

extension FrameQueue {
    /// Waits until the decoder must wait.
    fileprivate func waitUntilFull() { monitor.wait { $0.isFull || $0.hasEnded ? true : nil } }
}

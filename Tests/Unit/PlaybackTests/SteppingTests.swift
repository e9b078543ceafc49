// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Small examples from random histories, and of stepping.
@Suite struct SteppingTests {
    private func settle(_ rig: Rig) { rig.waitUntil { $0.seek == nil && $0.steps.isEmpty } }

    @Test(arguments: [1, 3, 30, 60])
    func `steps back are exact for frames far shorter than a millisecond`(interval: Int) {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                frameDuration: MediaTime(value: 1, timescale: 10_000), count: 60), sounds: [])
        media.keyframeInterval = interval
        let rig = Rig(media, isPlaying: false)
        rig.seek(to: MediaTime(value: 40, timescale: 10_000))
        for frame in stride(from: 39, through: 30, by: -1) {
            rig.item.step(byCount: -1)
            settle(rig)
            #expect(rig.takeFrame() == frame)
            #expect(rig.item.currentTime == MediaTime(value: Int64(frame), timescale: 10_000))
        }
    }

    @Test func `steps add up and stop at the first frame`() {
        let rig = Rig(.silent(keyframeInterval: 12, bidirectionalFrames: 2), isPlaying: false)
        rig.seek(to: MediaTime(value: 50, timescale: 30))
        for _ in 0..<17 { rig.item.step(byCount: -1) }
        settle(rig)
        #expect(rig.takeFrame() == 33)
        rig.item.step(byCount: -100)
        rig.item.step(byCount: 4)
        settle(rig)
        #expect(rig.takeFrame() == 4)
    }

    @Test func `steps forward reach beyond the frames that are decoded, to the last`() {
        let rig = Rig(.silent(keyframeInterval: 12, bidirectionalFrames: 2), isPlaying: false)
        rig.item.step(byCount: 40)
        settle(rig)
        #expect(rig.takeFrame() == 40)
        rig.item.step(byCount: 400)
        settle(rig)
        #expect(rig.takeFrame() == 59)
    }

    @Test func `steps follow a pending seek, and another seek ends them`() {
        var media = SyntheticMedia.silent()
        let gate = Monitor(true)
        media.faults.willSeek = { () throws(MediaError) in _ = gate.wait { $0 ? true : nil } }
        let rig = Rig(media, isPlaying: false)
        gate.change { $0 = false }
        rig.item.seek(
            to: MediaTime(value: 1, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.item.step(byCount: 2)
        gate.change { $0 = true }
        settle(rig)
        #expect(rig.takeFrame() == 32)
        gate.change { $0 = false }
        rig.item.step(byCount: -5)
        rig.item.seek(to: .zero)
        gate.change { $0 = true }
        settle(rig)
        #expect(rig.takeFrame() == 0)
    }

    @Test func `a frame that is shown longer than its duration is not skipped on the way`() {
        // Frame 1, which is not a reference, ends by its duration when the missing frame 2 would
        // begin; frame 0 cannot be decoded.
        var media = SyntheticMedia.silent(keyframeInterval: 30, bidirectionalFrames: 1)
        media.faults.undecodableFrames = [0]
        media.faults.missingFrames = [2]
        let rig = Rig(media, isPlaying: false)
        rig.seek(to: MediaTime(value: 2, timescale: 30))
        #expect(rig.takeFrame() == 1)
    }

    @Test func `within a microsecond of a frame, the seek lands on that frame at once`() {
        let rig = Rig(.silent(keyframeInterval: 30), isPlaying: false)
        rig.seek(
            to: MediaTime(value: 20, timescale: 30) - MediaTime(value: 1, timescale: 2_000_000))
        #expect(rig.takeFrame() == 20)
    }

    @Test func `a seek lands within its tolerance, or at its target`() {
        let rig = Rig(.silent(framesPerSecond: 10, keyframeInterval: 5), isPlaying: false)
        let target = MediaTime(value: 75, timescale: 100)
        rig.seek(to: target, toleranceBefore: MediaTime(value: 1, timescale: 1000))
        #expect(rig.item.currentTime == target)
        #expect(rig.takeFrame() == 7)
    }

    @Test func `a seek beyond the end lands at the end`() {
        let rig = Rig(.silent(), isPlaying: false)
        rig.seek(to: MediaTime(value: 9, timescale: 1))
        let end = MediaTime(value: 2, timescale: 1)
        rig.waitUntil { [timebase = rig.item.timebase] _ in timebase.time == end }
        rig.player.play()
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.player.timeControlStatus == .paused)
        rig.player.play()
        #expect(rig.player.timeControlStatus == .paused)
        #expect(rig.item.currentTime == end)
    }

    @Test func `frames without times before any with one are counted back`() {
        var media = SyntheticMedia.silent(keyframeInterval: 10)
        media.faults.framesWithoutTime = [20, 21]
        let rig = Rig(media, isPlaying: false)
        rig.seek(to: MediaTime(value: 24, timescale: 30))
        for frame in stride(from: 23, through: 19, by: -1) {
            rig.item.step(byCount: -1)
            settle(rig)
            #expect(rig.item.currentTime == MediaTime(value: Int64(frame), timescale: 30))
            #expect(rig.takeFrame() == frame)
        }
    }
}

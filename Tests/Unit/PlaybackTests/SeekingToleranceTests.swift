// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The landings of seeks that may land away from their target. Keyframes are 0, 30, 60 and 90.
@Suite struct SeekingToleranceTests {
    private static func frames(_ count: Int64) -> MediaTime {
        MediaTime(value: count, timescale: 30)
    }

    /// A landing: target, tolerances, and the frame that is shown, all in frames; -1 is unlimited.
    struct Landing: CustomStringConvertible {
        var target, before, after, landed: Int64
        var description: String { "\(target) -\(before) +\(after)" }
    }

    @Test(arguments: [
        // Exactly, without tolerances.
        Landing(target: 50, before: 0, after: 0, landed: 50),
        // At the keyframe before, if that is near enough, even if the next one is nearer.
        Landing(target: 50, before: -1, after: -1, landed: 30),
        Landing(target: 58, before: 28, after: 5, landed: 30),
        // At the keyframe after, if only that is near enough.
        Landing(target: 58, before: 5, after: 2, landed: 60),
        Landing(target: 50, before: 0, after: -1, landed: 60),
        // At the first frame that is near enough, if neither is.
        Landing(target: 58, before: 5, after: 1, landed: 53),
        Landing(target: 50, before: 0, after: 9, landed: 50),
        // There is no keyframe after the last one.
        Landing(target: 100, before: 2, after: -1, landed: 98),
    ])
    func `a seek lands where its tolerances allow the earliest landing`(landing: Landing) {
        let media = SyntheticMedia.silent(seconds: 4, keyframeInterval: 30)
        let rig = Rig(media, isPlaying: false)
        func tolerance(_ count: Int64) -> MediaTime {
            count < 0 ? .positiveInfinity : Self.frames(count)
        }
        #expect(
            rig.seek(
                to: Self.frames(landing.target), toleranceBefore: tolerance(landing.before),
                toleranceAfter: tolerance(landing.after)))
        #expect(rig.item.currentTime == Self.frames(landing.landed))
        #expect(rig.takeFrame() == Int(landing.landed))
    }

    @Test func `a keyframe after the target that cannot be decoded is not landed on`() {
        var media = SyntheticMedia.silent(seconds: 4, keyframeInterval: 30)
        media.faults.undecodableFrames = [60]
        let rig = Rig(media, isPlaying: false)
        #expect(rig.seek(to: Self.frames(58), toleranceAfter: Self.frames(2)))
        #expect(rig.takeFrame() == 58)
        #expect(rig.seek(to: Self.frames(58), toleranceAfter: Self.frames(3)))
        #expect(rig.takeFrame() == 61)
        #expect(rig.item.currentTime == Self.frames(61))
    }

    @Test func `a seek without stated tolerances lands at a keyframe`() async {
        let rig = Rig(SyntheticMedia.silent(seconds: 4, keyframeInterval: 30), isPlaying: false)
        #expect(await rig.player.seek(to: Self.frames(59)))
        #expect(rig.takeFrame() == 30)
        #expect(
            await rig.player.seek(
                to: Self.frames(59), toleranceBefore: .zero, toleranceAfter: .zero))
        #expect(rig.takeFrame() == 59)
    }

    @Test(arguments: [
        MediaTime.invalid, .indefinite, .negativeInfinity, MediaTime(value: -1, timescale: 1),
    ])
    func `an invalid tolerance counts as zero`(tolerance: MediaTime) {
        let rig = Rig(SyntheticMedia.silent(seconds: 4, keyframeInterval: 30), isPlaying: false)
        #expect(
            rig.seek(
                to: Self.frames(50), toleranceBefore: tolerance, toleranceAfter: tolerance))
        #expect(rig.takeFrame() == 50)
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Seeks that follow each other: frames that are not decoded again, and frames seen on the way.
/// Keyframes are 0, 60 and 120.
@Suite struct ScrubbingTests {
    /// The work of the demuxer and the decoder.
    private struct Work {
        var seeks = 0
        var decoded: [Int] = []
        /// Frames from this one on are not decoded yet.
        var limit = Int.max
    }

    private final class Watched: Sendable {
        let work = Monitor(Work())

        func media() -> SyntheticMedia {
            var media = SyntheticMedia.silent(
                seconds: 6, keyframeInterval: 60, bidirectionalFrames: 2)
            media.faults.willSeek = { [work] () throws(MediaError) in
                work.change { $0.seeks += 1 }
            }
            media.faults.willDecodeFrame = { [work] frame throws(MediaError) in
                work.change { $0.decoded.append(frame) }
                work.wait { frame < $0.limit ? true : nil }
            }
            return media
        }

        /// Returns the work since the last call.
        func take() -> Work {
            work.change { state in
                defer {
                    state.seeks = 0
                    state.decoded = []
                }
                return state
            }
        }
    }

    private static func time(of frame: Int64) -> MediaTime {
        MediaTime(value: frame, timescale: 30)
    }

    @Test(arguments: [41, 47, 59])
    func `a seek ahead in the same group continues decoding`(target: Int) {
        let watched = Watched()
        let rig = Rig(watched.media(), isPlaying: false)
        #expect(rig.seek(to: Self.time(of: 40)))
        #expect(rig.takeFrame() == 40)
        _ = watched.take()
        #expect(rig.seek(to: Self.time(of: Int64(target))))
        #expect(rig.takeFrame() == target)
        let work = watched.take()
        #expect(work.seeks == 0)
        #expect(work.decoded.allSatisfy { $0 > 40 })
    }

    @Test func `a seek past a keyframe starts from that keyframe`() {
        let watched = Watched()
        let rig = Rig(watched.media(), isPlaying: false)
        #expect(rig.seek(to: Self.time(of: 40)))
        #expect(rig.takeFrame() == 40)
        _ = rig.output.waitForPixelBuffer(after: rig.item.currentTime)
        _ = watched.take()
        #expect(rig.seek(to: Self.time(of: 121)))
        #expect(rig.takeFrame() == 121)
        #expect(watched.take().seeks == 1)
    }

    @Test func `all frames after the target of a redirected seek are shown`() {
        let rig = Rig(Watched().media(), isPlaying: false)
        #expect(rig.seek(to: Self.time(of: 55)))
        for frame in [10, 13, 14, 40, 39] as [Int64] {
            #expect(rig.seek(to: Self.time(of: frame)))
            for step in 0..<6 {
                #expect(rig.takeFrame() == Int(frame) + step)
                _ = rig.output.waitForPixelBuffer(after: rig.item.currentTime)
                rig.item.step(byCount: 1)
                let next = Self.time(of: frame + Int64(step) + 1)
                rig.waitUntil { [timebase = rig.item.timebase] _ in timebase.time == next }
            }
        }
    }

    @Test func `scrubbing shows the keyframe, then nearer frames, then the exact one`() {
        let watched = Watched()
        let rig = Rig(watched.media(), isPlaying: false)
        #expect(rig.takeFrame() == 0)
        _ = rig.output.waitForPixelBuffer(after: .zero)
        let landed = Monitor<[Bool]>([])
        // The first one does not complete before both have been requested.
        watched.work.change { $0.limit = 61 }
        for frame in [70, 175] as [Int64] {
            rig.item.seek(
                to: Self.time(of: frame), toleranceBefore: .zero, toleranceAfter: .zero
            ) { done in landed.change { $0.append(done) } }
        }
        watched.work.change { $0.limit = 121 }
        rig.waitUntil { $0.hasShownMove }
        #expect(rig.takeFrame() == 120)
        #expect(landed.withLock { $0 } == [false])
        #expect(rig.item.state.isSeeking)
        #expect(rig.item.currentTime == Self.time(of: 175))
        // A target farther back than the visible frame does not show a frame that is farther away.
        watched.work.change { $0.limit = .max }
        #expect(landed.wait { $0.count == 2 ? $0 : nil } == [false, true])
        #expect(rig.takeFrame() == 175)
    }

    @Test func `of many seeks one is served, then only the newest`() {
        let watched = Watched()
        let rig = Rig(watched.media(), isPlaying: false)
        _ = rig.output.waitForPixelBuffer(after: .zero)
        let landed = Monitor<[Int: [Bool]]>([:])
        watched.work.change { $0.limit = 1 }
        let targets = [50, 100, 10, 150, 130, 20, 90, 170] as [Int64]
        for (number, frame) in targets.enumerated() {
            rig.item.seek(
                to: Self.time(of: frame), toleranceBefore: .zero, toleranceAfter: .zero
            ) { done in landed.change { $0[number, default: []].append(done) } }
        }
        watched.work.change { $0.limit = .max }
        let all = landed.wait { $0[targets.count - 1] != nil ? $0 : nil }
        for number in targets.indices {
            #expect(all[number] == [number == targets.count - 1], "\(number)")
        }
        #expect(rig.takeFrame() == 170)
        #expect(rig.item.currentTime == Self.time(of: 170))
    }

    @Test func `releasing an item ends the current and the deferred seek`() {
        let watched = Watched()
        let rig = Rig(watched.media(), isPlaying: false)
        let landed = Monitor<[Bool]>([])
        watched.work.change { $0.limit = 1 }
        for frame in [70, 175, 10, 130] as [Int64] {
            rig.item.seek(
                to: Self.time(of: frame), toleranceBefore: .zero, toleranceAfter: .zero
            ) { done in landed.change { $0.append(done) } }
        }
        rig.player.replaceCurrentItem(with: nil)
        #expect(landed.wait { $0.count == 4 ? $0 : nil } == [false, false, false, false])
        watched.work.change { $0.limit = .max }
    }
}

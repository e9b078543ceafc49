// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Videos whose timestamps are missing, repeated, decreasing or far off: intact frames around them
/// are shown as usual, every request completes, and nothing traps.
@Suite struct DamagedTimesTests {
    private static func time(of frame: Int) -> MediaTime {
        MediaTime(value: Int64(frame), timescale: 30)
    }

    private static func film(bidirectionalFrames: Int = 0) -> SyntheticMedia {
        .silent(
            seconds: 2, keyframeInterval: 30, bidirectionalFrames: bidirectionalFrames)
    }

    /// The declared start of frame 40.
    private static let written: [MediaTime] = [
        time(of: 39), time(of: 41), time(of: 35), time(of: 20), time(of: 1_000_000), .zero,
        MediaTime(value: -5, timescale: 1), MediaTime(value: .max, timescale: 1),
        MediaTime(value: .min + 1, timescale: 1), .indefinite, .positiveInfinity,
    ]

    @Test(arguments: written, [0, 2])
    func `seeks near a wrong timestamp show the right frames`(
        time: MediaTime, bidirectionalFrames: Int
    ) {
        var media = Self.film(bidirectionalFrames: bidirectionalFrames)
        media.faults.writtenTimes = [40: time]
        let rig = Rig(media, isPlaying: false)
        for frame in [10, 30, 33, 45, 52, 12, 59, 46] {
            #expect(rig.seek(to: Self.time(of: frame)))
            #expect(rig.takeFrame() == frame)
            #expect(rig.item.currentTime == Self.time(of: frame))
        }
        for frame in 37...44 { #expect(rig.seek(to: Self.time(of: frame))) }
        rig.item.step(byCount: -3)
        rig.item.step(byCount: 2)
        rig.waitUntil { $0.steps.isEmpty && $0.seek == nil }
        #expect(rig.seek(to: Self.time(of: 59)))
        #expect(rig.takeFrame() == 59)
    }

    @Test(arguments: written, [1, -1])
    func `playback past a wrong timestamp ends with the media`(time: MediaTime, rate: Double) {
        var media = Self.film(bidirectionalFrames: 2)
        media.faults.writtenTimes = [40: time]
        let rig = Rig(media, isPlaying: false)
        #expect(rig.seek(to: Self.time(of: rate > 0 ? 20 : 59)))
        rig.player.rate = rate
        rig.waitUntil { $0.isRunning }
        var shown: Set<Int> = []
        for _ in 0..<60 where rig.player.rate != 0 {
            _ = rig.output.waitForPixelBuffer(after: rig.item.currentTime)
            if let frame = rig.takeFrame() { shown.insert(frame) }
            rig.clock.advance(by: Self.time(of: 1))
        }
        // A timestamp beyond the end moves the end there.
        if time <= Self.time(of: 60) { rig.waitUntil { $0.hasPlayedToEnd } }
        let whole = rate > 0 ? Set(45..<60) : Set(0..<19)
        #expect(shown.isSuperset(of: whole))
    }

    @Test func `media without any times plays, and every seek completes`() {
        var media = Self.film(bidirectionalFrames: 2)
        media.faults.framesWithoutTime = Set(0..<60)
        let rig = Rig(media, isPlaying: false)
        #expect(rig.takeFrame() == 0)
        for frame in [0, 20, 45, 59, 200, 3] { #expect(rig.seek(to: Self.time(of: frame))) }
        #expect(rig.seek(to: .zero))
        #expect(rig.takeFrame() == 0)
        rig.player.rate = 1
        rig.waitUntil { $0.isRunning }
        rig.advance(to: Self.time(of: 15))
        #expect(rig.takeFrame() == 15)
    }

    @Test func `a frame without a time before a skipped one keeps its place`() {
        // Frames 2 and 4 are references; 3 is dropped on the way to later frames, and then nothing
        // determines whether 4 comes before it or after.
        var media = SyntheticMedia.silent(seconds: 1, keyframeInterval: 30, bidirectionalFrames: 1)
        media.faults.missingFrames = [2]
        media.faults.framesWithoutTime = [4]
        let rig = Rig(media, isPlaying: false)
        #expect(rig.seek(to: Self.time(of: 7), toleranceBefore: Self.time(of: 3)))
        #expect(rig.item.currentTime == Self.time(of: 4))
        #expect(rig.takeFrame() == 4)
    }

    @Test func `frames before the first that has a time are counted back exactly`() {
        var media = SyntheticMedia.silent(seconds: 1, keyframeInterval: 10, bidirectionalFrames: 1)
        media.faults.undecodableFrames = [10]
        media.faults.framesWithoutTime = [12]
        media.faults.missingFrames = [14]
        let rig = Rig(media, isPlaying: false)
        #expect(rig.seek(to: Self.time(of: 14)))
        #expect(rig.takeFrame() == 13)
        #expect(rig.seek(to: Self.time(of: 12)))
        #expect(rig.takeFrame() == 12)
    }

    /// Any damage, and any request: it must complete.
    @Test func `with any timestamps every request completes once`() {
        for seed in 0..<20 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let rig = Rig(Self.damaged(using: &random), isPlaying: false)
            for step in 0..<12 {
                let completions = Monitor(0)
                let target = Self.time(of: Int.random(in: -5..<90, using: &random))
                let tolerance = [MediaTime.zero, Self.time(of: 3), .positiveInfinity]
                rig.player.rate = [0, 0, 1, -1][Int.random(in: 0..<4, using: &random)]
                let count = Int.random(in: 1..<3, using: &random)
                for _ in 0..<count {
                    rig.item.seek(
                        to: target,
                        toleranceBefore: tolerance[Int.random(in: 0..<3, using: &random)],
                        toleranceAfter: tolerance[Int.random(in: 0..<3, using: &random)]
                    ) { _ in completions.change { $0 += 1 } }
                }
                let isDone = completions.wait(nanoseconds: 120_000_000_000) {
                    $0 >= count ? true : nil
                }
                #expect(isDone == true, "seed \(seed), step \(step)")
                rig.clock.advance(by: Self.time(of: Int.random(in: 0..<9, using: &random)))
                _ = rig.takeFrame()
                rig.player.rate = 0
                rig.item.step(byCount: Int.random(in: -9..<9, using: &random))
            }
        }
    }

    private static func damaged(using random: inout SplitMix64) -> SyntheticMedia {
        var media = film(bidirectionalFrames: Int.random(in: 0..<3, using: &random))
        media.keyframeInterval = [1, 5, 30][Int.random(in: 0..<3, using: &random)]
        for frame in 0..<60 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: media.faults.framesWithoutTime.insert(frame)
            case 1: media.faults.undecodableFrames.insert(frame)
            case 2: media.faults.missingFrames.insert(frame)
            case 3...5:
                media.faults.writtenTimes[frame] =
                    Bool.random(using: &random)
                    ? written[Int.random(in: 0..<written.count, using: &random)]
                    : time(of: Int.random(in: 0..<60, using: &random))
            default: break
            }
        }
        return media
    }
}

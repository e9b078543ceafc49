// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Loops within an item.
@Suite struct ItemLoopTests {
    private static func at(_ frame: Int64) -> MediaTime { MediaTime(value: frame, timescale: 25) }

    /// Frames whose times a clock in nanoseconds holds exactly.
    private static func media(keyframeInterval: Int = 1) -> SyntheticMedia {
        .silent(framesPerSecond: 25, keyframeInterval: keyframeInterval)
    }

    /// Returns the frames of as many ticks of a frame.
    private static func frames(_ count: Int, of rig: Rig, rate: Double = 1) -> [Int?] {
        (0..<count).map { _ in
            let timebase = rig.item.timebase
            rig.waitUntil { control in
                guard control.isRunning else { return control.hasPlayedToEnd }
                // The threads that learn of the end, and that detect it, may be late.
                let end = control.playbackEnd ?? control.description?.end ?? .positiveInfinity
                let isOver =
                    rate > 0 ? timebase.time >= end : timebase.time <= control.reverseEnd
                return !isOver
            }
            _ = rig.output.waitForPixelBuffer(after: rig.item.currentTime)
            defer { rig.clock.advance(by: Self.at(1)) }
            return rig.takeFrame()
        }
    }

    @Test(arguments: [1, 12])
    func `a round has exactly its frames, and after the last one playback goes on`(interval: Int) {
        let rig = Rig(Self.media(keyframeInterval: interval), isPlaying: false)
        rig.item.setLoop(from: Self.at(10), to: Self.at(16), count: 2)
        rig.player.play()
        let frames = Self.frames(16 + 6 + 40, of: rig)
        let round = Array(10..<16)
        #expect(frames == Array(0..<16) + round + Array(10..<50))
        #expect(rig.item.loopProgress == LoopProgress(left: 0, done: 2, total: 2))
        #expect(rig.item.forwardPlaybackEndTime == .invalid)
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.player.rate == 0)
        #expect(rig.item.state.playedToEndCount == 1)
    }

    @Test func `in reverse a round begins at the end of the range`() {
        let rig = Rig(Self.media(keyframeInterval: 10), isPlaying: false)
        rig.seek(to: Self.at(33))
        rig.item.setLoop(from: Self.at(30), to: Self.at(35), count: -1)
        rig.player.rate = -1
        // At a bound itself the frame after it is due, for no time at all.
        let frames = Self.frames(3 + 5 * 4, of: rig, rate: -1).compactMap { $0 }
        #expect(frames.allSatisfy { (30...35).contains($0) })
        #expect(rig.item.loopProgress.done >= 3)
        #expect(rig.item.loopProgress.left == -1)
        #expect(rig.player.rate == -1)
    }

    @Test func `no observer finds an item that loops at its end, or its player at rate 0`() {
        let rig = Rig(Self.media(), isPlaying: false)
        let bad = Monitor(0)
        let player = rig.player
        rig.item.observers.observeAtOnce { [weak player] _, new in
            if new.hasPlayedToEnd || player?.rate != 1 { bad.change { $0 += 1 } }
        }
        rig.item.setLoop(from: .zero, to: .invalid, count: -1)
        player.play()
        bad.change { $0 = 0 }
        let frames = Self.frames(180, of: rig)
        #expect(frames == (0..<180).map { $0 % 50 })
        #expect(bad.withLock { $0 } == 0)
        #expect(rig.item.loopProgress.done == 3)
    }

    @Test func `a pause at the end of a round holds, at the start of the next`() {
        let rig = Rig(Self.media(), isPlaying: false)
        rig.item.setLoop(from: Self.at(5), to: Self.at(10), count: -1)
        rig.player.play()
        #expect(Self.frames(10, of: rig) == Array(0..<10))
        rig.player.pause()
        rig.waitUntil { $0.seek == nil && !$0.isRunning }
        #expect(rig.player.rate == 0)
        #expect(rig.item.loopProgress.done == 1)
        _ = rig.output.waitForPixelBuffer(after: rig.item.currentTime)
        #expect(rig.takeFrame() == 5)
        rig.player.play()
        #expect(Self.frames(5, of: rig) == Array(5..<10))
    }

    @Test func `a loop that is removed leaves the rest of the item to play`() {
        let rig = Rig(Self.media(), isPlaying: false)
        rig.item.setLoop(from: .zero, to: Self.at(10), count: -1)
        rig.player.play()
        #expect(Self.frames(15, of: rig) == Array(0..<10) + Array(0..<5))
        rig.item.setLoop(from: .zero, to: .invalid, count: 0)
        #expect(Self.frames(45, of: rig) == Array(5..<50))
    }

    @Test func `a range outside of the item is ignored`() {
        let rig = Rig(Self.media(), isPlaying: false)
        rig.item.setLoop(from: Self.at(90), to: .invalid, count: -1)
        #expect(rig.item.firstTime(inReverse: false) == .zero)
        rig.player.play()
        #expect(Self.frames(50, of: rig) == Array(0..<50))
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.item.loopProgress.done == 0)
    }

    @Test func `a playhead beyond the range goes back to it`() {
        let rig = Rig(Self.media(), isPlaying: false)
        rig.seek(to: Self.at(40))
        rig.item.setLoop(from: Self.at(20), to: Self.at(30), count: 1)
        rig.player.play()
        #expect(Self.frames(5, of: rig).last == 24)
        #expect(rig.item.loopProgress.left == 0)
    }

    @Test func `a repetition takes precedence over the next item of a queue`() {
        let clock = ManualClock()
        let items = (0..<2).map { _ in PlayerItem(asset: SyntheticAsset(Self.media())) }
        items[0].setLoop(from: .zero, to: Self.at(10), count: 1)
        let player = QueuePlayer(items: items, audioSink: nil, masterClock: clock)
        player.play()
        // A round, the whole, and some of the next item.
        for _ in 0..<80 {
            while !player.isAhead { sched_yield() }
            clock.advance(by: Self.at(1))
        }
        while !player.isAhead { sched_yield() }
        #expect(player.currentItem === items[1])
        #expect(items[0].loopProgress.done == 1)
        #expect(player.rate == 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The end of playback, and its consequences.
@Suite struct EndingTests {
    private static func time(_ frames: Int64) -> MediaTime {
        MediaTime(value: frames, timescale: 30)
    }

    /// The time in nanoseconds, rounded up.
    private static func clockTime(_ frames: Int64) -> MediaTime {
        time(frames).converted(
            toTimescale: 1_000_000_000, method: .roundTowardPositiveInfinity)
    }

    @Test func `playback pauses at the end with the last frame`() {
        let rig = Rig(.silent())
        rig.clock.advance(by: MediaTime(value: 3, timescale: 1))
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.player.rate == 0 && rig.player.timeControlStatus == .paused)
        #expect(rig.item.currentTime == MediaTime(value: 2, timescale: 1))
        #expect(rig.takeFrame() == 59)
    }

    @Test func `without an action the timeline continues, and a later action is performed at once`()
    {
        let rig = Rig(.silent())
        rig.player.actionAtItemEnd = .none
        rig.clock.advance(by: MediaTime(value: 3, timescale: 1))
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.player.rate == 1 && rig.player.timeControlStatus == .playing)
        #expect(rig.item.currentTime == MediaTime(value: 3, timescale: 1))
        #expect(rig.takeFrame() == 59)
        rig.clock.advance(by: MediaTime(value: 1, timescale: 1))
        #expect(rig.item.state.playedToEndCount == 1)
        rig.player.actionAtItemEnd = .pause
        #expect(rig.player.rate == 0)
        #expect(rig.item.currentTime == MediaTime(value: 2, timescale: 1))
        #expect(rig.item.state.playedToEndCount == 1)
    }

    @Test func `a later action at the end shows the frame there`() {
        let rig = Rig(.silent(), isPlaying: false)
        rig.player.actionAtItemEnd = .none
        rig.item.forwardPlaybackEndTime = Self.time(10)
        #expect(rig.seek(to: Self.time(20)))
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.advance(to: Self.time(30))
        #expect(rig.item.hasPlayedToEnd && rig.takeFrame() == 50)
        rig.player.actionAtItemEnd = .pause
        #expect(rig.item.hasPlayedToEnd && rig.player.rate == 0)
        #expect(rig.item.currentTime == Self.time(20))
        rig.waitUntil { $0.seek == nil }
        #expect(rig.takeFrame() == 20)
    }

    @Test func `an end time ends video and time exactly`() {
        let rig = Rig(.silent(keyframeInterval: 10, bidirectionalFrames: 2))
        rig.item.forwardPlaybackEndTime = Self.time(31)
        for frame in 0..<31 {
            rig.advance(to: Self.time(Int64(frame)))
            #expect(rig.takeFrame() == frame)
        }
        rig.clock.advance(to: Self.clockTime(31))
        #expect(rig.item.hasPlayedToEnd && rig.player.rate == 0)
        #expect(rig.item.currentTime == Self.time(31))
        #expect(rig.takeFrame() == 30)
        // An output that requests frames ahead gets no later one, either.
        let ahead = rig.output.copyPixelBuffer(forItemTime: Self.time(34))
        #expect(ahead?.displayTime == Self.time(30))
    }

    @Test func `an end between two frames shows the first`() {
        let rig = Rig(.silent())
        rig.item.forwardPlaybackEndTime = Self.time(31) + MediaTime(value: 1, timescale: 100)
        rig.clock.advance(to: MediaTime(value: 3, timescale: 1))
        rig.waitUntil { $0.hasPlayedToEnd }
        _ = rig.output.waitForPixelBuffer(after: Self.time(31))
        #expect(rig.takeFrame() == 31)
    }

    @Test func `an end moved during playback applies from then on`() {
        let rig = Rig(.silent())
        rig.item.forwardPlaybackEndTime = Self.time(20)
        rig.advance(to: Self.time(10))
        rig.item.forwardPlaybackEndTime = Self.time(40)
        rig.advance(to: Self.time(30))
        #expect(!rig.item.hasPlayedToEnd && rig.takeFrame() == 30)
        rig.item.forwardPlaybackEndTime = .invalid
        rig.advance(to: Self.time(50))
        #expect(!rig.item.hasPlayedToEnd && rig.takeFrame() == 50)
        rig.clock.advance(to: Self.clockTime(60))
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.takeFrame() == 59)
    }

    @Test func `an end set behind the playhead ends playback where it is`() {
        let rig = Rig(.silent())
        rig.advance(to: Self.time(30))
        rig.item.forwardPlaybackEndTime = Self.time(10)
        #expect(rig.item.hasPlayedToEnd && rig.player.rate == 0)
        #expect(rig.item.currentTime == Self.time(30))
        #expect(rig.takeFrame() == 30)
    }

    @Test func `times beyond the end can be shown, but do not play`() {
        let rig = Rig(.silent(), isPlaying: false)
        rig.item.forwardPlaybackEndTime = Self.time(10)
        #expect(rig.seek(to: Self.time(40)))
        #expect(rig.takeFrame() == 40)
        rig.player.play()
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.player.rate == 0)
        #expect(rig.item.currentTime == Self.time(40))
        #expect(rig.seek(to: .zero))
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.clock.advance(by: MediaTime(value: 1, timescale: 1))
        #expect(rig.item.currentTime == Self.time(10))
        _ = rig.output.waitForPixelBuffer(after: Self.time(9))
        #expect(rig.takeFrame() == 9)
    }

    @Test func `at the end time the last frame before it is shown`() {
        let rig = Rig(.silent(keyframeInterval: 10, bidirectionalFrames: 2), isPlaying: false)
        rig.item.forwardPlaybackEndTime = Self.time(20)
        #expect(rig.seek(to: Self.time(20)))
        #expect(rig.takeFrame() == 19)
    }

    @Test func `moving an end away from the playhead allows playback to continue`() {
        let rig = Rig(.silent())
        rig.item.forwardPlaybackEndTime = Self.time(20)
        rig.clock.advance(to: Self.clockTime(25))
        #expect(rig.item.hasPlayedToEnd)
        rig.player.play()
        #expect(rig.player.rate == 0)
        rig.item.forwardPlaybackEndTime = Self.time(40)
        #expect(!rig.item.hasPlayedToEnd)
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.clock.advance(by: MediaTime(value: 1, timescale: 1))
        #expect(rig.item.currentTime == Self.time(40))
    }

    @Test func `steps stop at the end of playback`() {
        let rig = Rig(.silent(), isPlaying: false)
        rig.item.forwardPlaybackEndTime = Self.time(4)
        rig.item.step(byCount: 9)
        rig.waitUntil { $0.steps.isEmpty }
        #expect(rig.item.currentTime == Self.time(3))
    }

    @Test func `an invalid end is ignored, and one beyond the media is the media's`() {
        let rig = Rig(.silent())
        rig.item.forwardPlaybackEndTime = .positiveInfinity
        #expect(rig.item.forwardPlaybackEndTime == .invalid)
        rig.item.forwardPlaybackEndTime = MediaTime(value: 90, timescale: 1)
        rig.clock.advance(by: MediaTime(value: 4, timescale: 1))
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.item.currentTime == MediaTime(value: 2, timescale: 1))
    }

    @Test func `an end set before the item is opened is kept`() {
        let item = PlayerItem(.silent())
        item.forwardPlaybackEndTime = Self.time(7)
        let clock = ManualClock()
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        player.play()
        item.pipeline.control.wait { $0.isRunning ? true : nil }
        clock.advance(by: MediaTime(value: 1, timescale: 1))
        #expect(item.hasPlayedToEnd && item.currentTime == Self.time(7))
    }

    @Test func `audio ends at the end time, exact to the sample`() {
        let item = PlayerItem(.numbered())
        item.forwardPlaybackEndTime = MediaTime(value: 12_345, timescale: 48_000)
        let rig = QueueRig([item])
        rig.play()
        rig.advance(milliseconds: 600)
        #expect(rig.heard.last { $0 != 0 } == Float(12_344) / Float(1 << 22))
        #expect(item.state.playedToEndCount == 1)
    }
}

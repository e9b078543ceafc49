// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Faults that users of other players report about outputs.
@Suite struct OutputEdgeTests {
    private static func at(_ value: Int64, _ timescale: Int32 = 30) -> MediaTime {
        MediaTime(value: value, timescale: timescale)
    }

    @Test func `after every paused seek there is a new frame, that of the new time`() {
        let rig = Rig(
            .silent(keyframeInterval: 12, bidirectionalFrames: 2), isPlaying: false)
        #expect(rig.takeFrame() == 0)
        // Also to the frame that is shown already: renderers must be notified.
        for frame: Int64 in [30, 30, 29, 31, 0, 59, 58, 59, 12, 0, 0] {
            rig.seek(to: Self.at(frame))
            #expect(rig.output.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
            #expect(rig.takeFrame() == Int(frame))
            #expect(!rig.output.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
        }
    }

    @Test func `there is a frame at both edges and beyond them`() {
        let rig = Rig(.silent(), isPlaying: false)
        for time in [MediaTime.zero, Self.at(-1), Self.at(-1000)] {
            let picture = rig.output.copyPixelBuffer(forItemTime: time)
            #expect(picture.flatMap { FrameNumberStrip.read(from: $0.0) } == 0)
        }
        rig.seek(to: Self.at(60))
        for time in [Self.at(59), Self.at(60), Self.at(61), Self.at(1000)] {
            let picture = rig.output.copyPixelBuffer(forItemTime: time)
            #expect(picture.flatMap { FrameNumberStrip.read(from: $0.0) } == 59)
        }
        rig.seek(to: Self.at(5000))
        #expect(rig.takeFrame() == 59)
    }

    @Test func `a video whose first frame begins late is not black before it`() {
        let times = SyntheticFrameTimes(times: [Self.at(9), Self.at(10)], end: Self.at(12))
        let rig = Rig(SyntheticMedia(frameTimes: times, sounds: []), isPlaying: false)
        #expect(rig.takeFrame() == 0)
    }

    @Test func `after the end, seeking back and playing shows every frame again`() {
        let rig = Rig(.silent(), isPlaying: false)
        for _ in 0..<3 {
            rig.player.play()
            rig.waitUntil { $0.isRunning }
            let start = rig.clock.time
            for frame in 0..<60 {
                rig.advance(to: start + Self.at(Int64(frame)))
                #expect(rig.takeFrame() == frame)
            }
            rig.advance(to: start + Self.at(60))
            rig.waitUntil { $0.hasPlayedToEnd }
            #expect(rig.takeFrame() == 59)
            rig.seek(to: .zero)
            #expect(rig.output.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
        }
    }

    @Test
    func `the upcoming frame is known as soon as it is decoded, and is not taken`() {
        let rig = Rig(.silent(), isPlaying: false)
        let zero = MediaTime.zero
        func number(after frame: Int64, step: MediaTime = .zero) -> Int? {
            let next = rig.output.upcomingPixelBuffer(afterItemTime: Self.at(frame), step: step)
            return next.flatMap { FrameNumberStrip.read(from: $0) }
        }
        #expect(rig.takeFrame() == 0)
        // The frame is complete once the next one is available.
        _ = rig.output.waitForPixelBuffer(after: Self.at(2))
        #expect(number(after: 0) == 1)
        // Requested again within the frame, or so much later that others are skipped.
        #expect(number(after: 0, step: Self.at(1, 100)) == 1)
        #expect(number(after: 0, step: Self.at(2)) == 2)
        #expect(rig.output.hasNewPixelBuffer(forItemTime: Self.at(1)))
        #expect(!rig.output.hasNewPixelBuffer(forItemTime: zero))
        rig.seek(to: Self.at(59))
        #expect(number(after: 59) == nil)
        #expect(rig.takeFrame() == 59)
        #expect(PlayerItemVideoOutput().upcomingPixelBuffer(afterItemTime: zero, step: zero) == nil)
    }

    @Test func `a repeated copy for a redraw returns the same frame`() {
        let rig = Rig(.silent(), isPlaying: false)
        let first = rig.output.copyPixelBuffer(forItemTime: .zero)
        for _ in 0..<5 {
            let again = rig.output.copyPixelBuffer(forItemTime: .zero)
            #expect(again?.0.identifier == first?.0.identifier)
            #expect(again?.displayTime == .zero)
        }
    }

    @Test func `an output that is added late, or after the end, has a frame`() {
        let rig = Rig(.silent())
        for frame in 0...61 { rig.advance(to: Self.at(Int64(frame))) }
        rig.waitUntil { $0.hasPlayedToEnd }
        let late = PlayerItemVideoOutput()
        rig.item.add(late)
        #expect(late.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
        let picture = late.copyPixelBuffer(forItemTime: rig.item.currentTime)
        #expect(picture.flatMap { FrameNumberStrip.read(from: $0.0) } == 59)
    }

    /// Displays draw up to 1.75 vsyncs ahead, here those of a display of 60 Hz.
    @Test(arguments: [1.0, -1, 2, -2, 4, -4, 8, -8], [false, true])
    func `a frame taken for a coming vsync stays if a pause comes first`(
        rate: Double, isPlayersOutput: Bool
    ) throws {
        let rig = Rig(.silent(keyframeInterval: 10), isPlaying: false)
        let output: any PixelBufferSource =
            isPlayersOutput ? PlayerVideoOutput(player: rig.player) : rig.output
        func takeFrame(at time: MediaTime) -> Int? {
            output.copyPixelBuffer(forItemTime: time).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
        }
        let start = MediaTime(value: 1, timescale: 1)
        #expect(rig.seek(to: start + MediaTime(value: 1, timescale: 60)))
        _ = output.itemTime(forHostTime: rig.clock.time)
        #expect(takeFrame(at: rig.item.currentTime) == 30)
        rig.player.rate = rate
        rig.waitUntil { $0.isRunning }
        rig.advance(to: MediaTime(value: 1, timescale: 100))
        let due = takeFrame(at: rig.item.currentTime)
        let coming = output.itemTime(
            forHostTime: rig.clock.time + MediaTime(value: 7, timescale: 240))
        // At the highest rate, the queue is full before the frame is known.
        try eventually("the frames ahead") { rig.player.isAhead }
        let seen = takeFrame(at: coming)
        guard let due, let seen else {
            Issue.record("no frames")
            return
        }
        #expect(rate > 0 ? seen > due : seen < due)
        let playing = rig.item.currentTime
        rig.player.pause()
        // Neither the frame nor the time moves; audio plays up to that time.
        let paused = rig.item.currentTime
        #expect(paused == playing)
        #expect(!output.hasNewPixelBuffer(forItemTime: paused))
        // Steps and relative seeks start from the visible frame.
        #expect(rig.item.seenTime == MediaTime(value: Int64(seen), timescale: 30))
        // An output that takes it again, or later, gets the same frame.
        #expect(takeFrame(at: paused) == seen)
        let late = PlayerItemVideoOutput()
        rig.item.add(late)
        let picture = late.copyPixelBuffer(forItemTime: paused)
        #expect(picture.flatMap { FrameNumberStrip.read(from: $0.0) } == seen)
        rig.item.remove(late)
        rig.item.step(byCount: -1)
        rig.waitUntil { $0.seek == nil && $0.steps.isEmpty }
        #expect(output.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
        #expect(takeFrame(at: rig.item.currentTime) == seen - 1)
        rig.item.step(byCount: 1)
        rig.waitUntil { $0.seek == nil && $0.steps.isEmpty }
        #expect(takeFrame(at: rig.item.currentTime) == seen)
    }

    @Test(arguments: [1.0, -1])
    func `a step counts from the frame that was taken before a pause`(rate: Double) {
        let rig = Rig(.silent(keyframeInterval: 10), isPlaying: false)
        #expect(rig.seek(to: MediaTime(value: 61, timescale: 60)))
        rig.player.rate = rate
        rig.waitUntil { $0.isRunning }
        rig.advance(to: MediaTime(value: 1, timescale: 100))
        let coming = rig.output.itemTime(
            forHostTime: rig.clock.time + MediaTime(value: 1, timescale: 60))
        _ = rig.output.waitForPixelBuffer(after: coming)
        let seen = rate > 0 ? 31 : 29
        let picture = rig.output.copyPixelBuffer(forItemTime: coming)
        #expect(picture.flatMap { FrameNumberStrip.read(from: $0.0) } == seen)
        rig.player.pause()
        rig.item.step(byCount: 1)
        rig.waitUntil { $0.seek == nil && $0.steps.isEmpty }
        #expect(rig.takeFrame() == seen + 1)
    }

    @Test func `an output that reads further ahead affects neither pauses nor steps of others`() {
        let rig = Rig(.silent(keyframeInterval: 10))
        let analyzer = PlayerItemVideoOutput()
        rig.item.add(analyzer)
        rig.waitUntil { $0.isRunning }
        rig.advance(to: Self.at(99, 1000))
        #expect(rig.takeFrame() == 2)
        let ahead = rig.item.currentTime + Self.at(9, 100)
        _ = analyzer.waitForPixelBuffer(after: ahead)
        #expect(analyzer.copyPixelBuffer(forItemTime: ahead) != nil)
        rig.player.pause()
        #expect(rig.item.currentTime == Self.at(99, 1000))
        #expect(!rig.output.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
        rig.item.step(byCount: 1)
        rig.waitUntil { $0.steps.isEmpty }
        #expect(rig.takeFrame() == 3)
    }

    @Test func `a frame taken after a pause for an earlier time stays`() {
        let rig = Rig(.silent(keyframeInterval: 10))
        rig.waitUntil { $0.isRunning }
        rig.advance(to: Self.at(99, 1000))
        let coming = rig.output.itemTime(forHostTime: Self.at(1, 10))
        _ = rig.output.waitForPixelBuffer(after: coming)
        rig.player.pause()
        let paused = rig.item.currentTime
        #expect(rig.output.copyPixelBuffer(forItemTime: coming)?.displayTime == Self.at(3))
        #expect(!rig.output.hasNewPixelBuffer(forItemTime: paused))
        // Any seek or step shows the frame that is due.
        rig.item.step(byCount: -1)
        rig.waitUntil { $0.seek == nil && $0.steps.isEmpty }
        #expect(rig.output.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
        #expect(rig.takeFrame() == 2)
    }

    @Test func `an output that is added to another item leaves the first`() {
        let (first, second) = (PlayerItem(.silent()), PlayerItem(.silent()))
        let output = PlayerItemVideoOutput()
        output.suppressesPlayerRendering = true
        first.add(output)
        #expect(first.outputs.count == 1 && first.suppressesPlayerRendering)
        second.add(output)
        #expect(first.outputs.isEmpty && !first.suppressesPlayerRendering)
        #expect(second.outputs.count == 1 && second.suppressesPlayerRendering)
        first.remove(output)
        #expect(second.outputs.count == 1 && second.suppressesPlayerRendering)
    }
}

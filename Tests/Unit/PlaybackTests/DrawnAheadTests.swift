// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// A frame drawn for a coming vsync is never followed by an earlier one, whatever happens to the
/// timeline.
@Suite struct DrawnAheadTests {
    private static func milliseconds(_ count: Int64) -> MediaTime {
        MediaTime(value: count, timescale: 1000)
    }

    /// A playing video, 20 ms after frame 30 began, or in reverse before it does; an output has
    /// drawn another frame than the one that is due.
    private struct Drawn {
        let rig: Rig
        let seen: Int
        let gate: Monitor<Bool>

        init(rate: Double = 1) throws {
            // No frame is decoded while the gate is closed.
            let gate = Monitor(true)
            var media = SyntheticMedia.silent(seconds: 6, keyframeInterval: 60)
            media.faults.willSeek = { () throws(MediaError) in _ = gate.wait { $0 ? true : nil } }
            rig = Rig(media, isPlaying: false)
            self.gate = gate
            #expect(rig.seek(to: DrawnAheadTests.milliseconds(1010)))
            rig.player.rate = rate
            rig.waitUntil { $0.isRunning }
            rig.advance(to: DrawnAheadTests.milliseconds(10))
            let due = try #require(Self.draw(rig.output, rig, ahead: 0))
            seen = try #require(Self.draw(rig.output, rig, ahead: 25))
            #expect(rate > 0 ? seen > due : seen < due)
        }

        /// Returns the frame that an output draws for a vsync that many milliseconds ahead.
        static func draw(_ output: any PixelBufferSource, _ rig: Rig, ahead: Int64) -> Int? {
            let time = output.itemTime(
                forHostTime: rig.clock.time + DrawnAheadTests.milliseconds(ahead))
            _ = rig.output.waitForPixelBuffer(after: time)
            return output.copyPixelBuffer(forItemTime: time).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
        }

        /// Returns the frames drawn from now on, vsync by vsync, until the video has passed the
        /// frame seen.
        func drawOn() -> [Int] {
            var frames: [Int] = []
            for _ in 0..<60 where frames.last.map({ ($0 - seen).magnitude < 3 }) ?? true {
                rig.clock.advance(by: DrawnAheadTests.milliseconds(4))
                frames += [Self.draw(rig.output, rig, ahead: 5)].compactMap(\.self)
            }
            return frames
        }
    }

    @Test(arguments: [1.0, 2, 8]) func `resuming after a pause does not step back`(rate: Double)
        throws
    {
        let drawn = try Drawn(rate: rate)
        drawn.rig.player.pause()
        drawn.rig.player.rate = rate
        drawn.rig.waitUntil { $0.isRunning }
        let frames = drawn.drawOn()
        #expect(frames.first == drawn.seen)
        #expect(frames == frames.sorted())
    }

    @Test func `playing slower does not step back`() throws {
        let drawn = try Drawn(rate: 8)
        drawn.rig.player.rate = 1
        let frames = drawn.drawOn()
        #expect(frames.first == drawn.seen)
        #expect(frames == frames.sorted())
    }

    @Test(arguments: [1.0, 8, -1]) func `a seek during playback shows its target`(rate: Double)
        throws
    {
        let drawn = try Drawn(rate: rate)
        drawn.gate.change { $0 = false }
        defer { drawn.gate.change { $0 = true } }
        drawn.rig.item.seek(
            to: Self.milliseconds(rate > 0 ? 5000 : 200), toleranceBefore: .zero,
            toleranceAfter: .zero)
        let output = drawn.rig.output
        let time = output.itemTime(forHostTime: drawn.rig.clock.time)
        let shown = try #require(
            output.copyPixelBuffer(forItemTime: time).flatMap {
                FrameNumberStrip.read(from: $0.0)
            })
        // A decoded frame may become visible on the way, if it is nearer to the target.
        #expect(rate > 0 ? shown >= drawn.seen : shown <= drawn.seen)
    }

    /// The lead of one display is larger than that of the other.
    @Test func `two outputs show one frame in a pause and step from there`() throws {
        let drawn = try Drawn()
        let rig = drawn.rig
        let other = PlayerItemVideoOutput()
        rig.item.add(other)
        #expect(Drawn.draw(other, rig, ahead: 5) == drawn.seen - 1)
        rig.player.pause()
        #expect(Drawn.draw(rig.output, rig, ahead: 5) == drawn.seen)
        #expect(Drawn.draw(other, rig, ahead: 5) == drawn.seen)
        rig.item.step(byCount: 1)
        rig.waitUntil { $0.steps.isEmpty }
        #expect(Drawn.draw(rig.output, rig, ahead: 5) == drawn.seen + 1)
        #expect(Drawn.draw(other, rig, ahead: 5) == drawn.seen + 1)
    }

    /// Not for a vsync, but to read ahead.
    @Test func `reading ahead in a pause moves nothing`() throws {
        let rig = Rig(.silent(keyframeInterval: 10))
        rig.waitUntil { $0.isRunning }
        rig.advance(to: Self.milliseconds(510))
        #expect(Drawn.draw(rig.output, rig, ahead: 0) == 15)
        rig.player.pause()
        let time = rig.item.currentTime
        let ahead = time + Self.milliseconds(50)
        _ = rig.output.waitForPixelBuffer(after: ahead)
        #expect(
            rig.output.copyPixelBuffer(forItemTime: ahead).flatMap {
                FrameNumberStrip.read(from: $0.0)
            } == 16)
        #expect(rig.item.seenTime == time)
        #expect(Drawn.draw(rig.output, rig, ahead: 0) == 15)
        rig.item.step(byCount: 1)
        rig.waitUntil { $0.steps.isEmpty }
        #expect(rig.takeFrame() == 16)
    }

    @Test func `the next item shows its frame even if it was drawn before`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered())]
        let rig = QueueRig(items, hasSound: false)
        rig.play()
        rig.advance(milliseconds: 980)
        let coming = rig.clock.time + Self.milliseconds(60)
        func draw() -> MediaTime {
            let time = rig.output.itemTime(forHostTime: coming)
            #expect(rig.output.copyPixelBuffer(forItemTime: time) != nil)
            return time
        }
        rig.wait {
            _ = draw()
            return rig.output.item === items[1]
        }
        rig.player.pause()
        _ = draw()
        #expect(rig.output.item === items[0])
        rig.player.advanceToNextItem()
        let time = rig.output.itemTime(forHostTime: coming)
        #expect(rig.output.item === items[1])
        #expect(rig.output.hasNewPixelBuffer(forItemTime: time))
    }
}

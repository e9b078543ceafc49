// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Videos whose frames end long before their audio, with little capacity for read-ahead.
@Suite struct EarlyPictureEndTests {
    /// A minute of audio is seven times as much.
    private static let byteLimit = 100_000

    private static func film(frames: Int, _ change: (inout SyntheticMedia) -> Void) -> StallRig {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                frameDuration: MediaTime(value: 1, timescale: 30), count: frames),
            sounds: [
                SyntheticSound(.sampleNumbers, duration: MediaTime(value: 60, timescale: 1))
            ])
        (media.width, media.height) = (256, 32)
        change(&media)
        // Nothing is read before the limit is set.
        let rig = StallRig(media, seconds: 0, isNetwork: false)
        rig.gate.waitUntilClosed()
        rig.item.pipeline.packets.bounds = PacketBounds(byteCount: byteLimit)
        rig.gate.open()
        return rig
    }

    /// Returns whether a seek lands; false also if it has not landed after a minute.
    private static func seek(_ rig: StallRig, milliseconds: Int64) -> Bool {
        let landed = Monitor<Bool?>(nil)
        rig.item.seek(
            to: MediaTime(value: milliseconds, timescale: 1000), toleranceBefore: .zero,
            toleranceAfter: .zero
        ) { done in landed.change { $0 = done } }
        return landed.wait(nanoseconds: 60_000_000_000) { $0 } ?? false
    }

    private static func frame(_ rig: StallRig) -> Int? {
        rig.output.copyPixelBuffer(forItemTime: rig.item.currentTime).flatMap {
            FrameNumberStrip.read(from: $0.0)
        }
    }

    @Test func `a seek far beyond the only frame lands, and audio continues`() throws {
        // The decoder holds a frame until another comes, or the end.
        let rig = Self.film(frames: 1) { $0.bidirectionalFrames = 1 }
        try #require(Self.seek(rig, milliseconds: 30_000))
        #expect(Self.frame(rig) == 0)
        try #require(Self.seek(rig, milliseconds: 10_000))
        #expect(Self.frame(rig) == 0)
        rig.play()
        rig.advance(milliseconds: 300)
        #expect(rig.item.currentTime > MediaTime(value: 10, timescale: 1))
        let heard = rig.heard
        #expect(heard.first == 480_000)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }

    /// The last quarter of a second may be due to rounding: it exists, behind more audio than the
    /// queue holds.
    @Test func `late frames are shown`() throws {
        let rig = Self.film(frames: 60) { media in
            media.keyframeInterval = 60
            media.soundStorageDelay = MediaTime(value: -20, timescale: 1)
        }
        try #require(Self.seek(rig, milliseconds: 1950))
        let control = rig.item.pipeline.control
        let generation = control.withLock { $0.generation }
        rig.item.pipeline.packets.bounds = PacketBounds(
            duration: MediaTime(value: 60, timescale: 1))
        let hasMoved = control.wait(nanoseconds: 60_000_000_000) { control -> Bool? in
            control.generation > generation && control.hasVideo ? true : nil
        }
        #expect(hasMoved == true)
        #expect(Self.frame(rig) == 58)
    }
}

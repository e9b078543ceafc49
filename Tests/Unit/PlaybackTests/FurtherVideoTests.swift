// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Video tracks in addition to the first one.
@Suite struct FurtherVideoTests {
    private static func media(_ count: Int) -> SyntheticMedia {
        var media = SyntheticMedia.silent(keyframeInterval: 12)
        (media.width, media.height) = (32, 16)
        let frameTimes = SyntheticFrameTimes(
            framesPerSecond: 25, duration: MediaTime(value: 2, timescale: 1))
        media.furtherVideos = (1...count).map {
            SyntheticVideo(frameTimes: frameTimes, keyframeInterval: 7, firstNumber: 1000 * $0)
        }
        return media
    }

    @Test func `adding an output enables its own track, and no other`() {
        let rig = Rig(Self.media(2), isPlaying: false)
        let outputs = (1...2).map { PlayerItemVideoOutput(trackID: $0) }
        rig.item.add(outputs[0])
        #expect(rig.item.tracks.map(\.isEnabled) == [true, true, false])
        rig.item.tracks[1].isEnabled = false
        rig.item.add(outputs[1])
        #expect(rig.item.tracks.map(\.isEnabled) == [true, false, true])
    }

    @Test func `a track that is enabled again while the demuxer adds it can be disabled`() {
        let gate = DecoderGate(track: 1)
        var media = Self.media(1)
        media.faults.willMakeDecoder = { gate.pass($0) }
        let rig = Rig(media, isPlaying: false)
        gate.close()
        let output = PlayerItemVideoOutput(trackID: 1)
        rig.item.add(output)
        gate.waitUntilReached()
        rig.item.tracks[1].isEnabled = true
        gate.open()
        // The demuxer adds tracks before it seeks.
        #expect(rig.seek(to: MediaTime(value: 1, timescale: 1)))
        #expect(output.copyPixelBuffer(forItemTime: rig.item.currentTime) != nil)
        rig.item.tracks[1].isEnabled = false
        #expect(output.copyPixelBuffer(forItemTime: rig.item.currentTime) == nil)
    }

    @Test func `a track that is enabled at the end leaves the item there`() {
        let rig = Rig(Self.media(1))
        let end = MediaTime(value: 2, timescale: 1)
        rig.clock.advance(to: rig.clock.time + end)
        rig.waitUntil { $0.hasPlayedToEnd }
        let output = PlayerItemVideoOutput(trackID: 1)
        rig.item.add(output)
        rig.waitUntil { control in
            control.transport.tracks.furtherVideo.contains { $0.end != nil }
        }
        #expect(rig.item.hasPlayedToEnd)
        #expect(rig.item.currentTime == end)
        let number = output.copyPixelBuffer(forItemTime: end).flatMap {
            FrameNumberStrip.read(from: $0.0)
        }
        #expect(number == 1049)
    }

    /// The end of the longer track is not known while its frames wait for the playhead.
    @Test func `reverse playback begins beyond the end of the first track`() {
        var media = SyntheticMedia.silent(seconds: 1)
        media.furtherVideos = [
            SyntheticVideo(
                frameTimes: SyntheticFrameTimes(
                    framesPerSecond: 30, duration: MediaTime(value: 4, timescale: 1)),
                keyframeInterval: 7, firstNumber: 1000)
        ]
        (media.width, media.height) = (32, 16)
        let rig = Rig(media, isPlaying: false)
        let output = PlayerItemVideoOutput(trackID: 1)
        rig.item.add(output)
        let start = MediaTime(value: 2, timescale: 1)
        #expect(rig.seek(to: start))
        rig.player.rate = -1
        let hasTurned = rig.item.pipeline.control.wait(nanoseconds: 60_000_000_000) { control in
            control.isRunning && control.direction == .reverse ? true : nil
        }
        #expect(hasTurned == true)
        rig.clock.advance(to: rig.clock.time + start)
        let hasEnded = rig.item.pipeline.control.wait(nanoseconds: 60_000_000_000) { control in
            control.hasPlayedToEnd ? true : nil
        }
        #expect(hasEnded == true)
        #expect(rig.item.currentTime == .zero)
    }
}

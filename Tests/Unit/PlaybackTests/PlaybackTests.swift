// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadPlayback

@Suite struct PlaybackTests {
    @Test(arguments: [24.0, 25, 29.97, 30, 50, 60, 120])
    func `at every vsync the frame that covers it is shown`(framesPerSecond: Double) {
        let media = SyntheticMedia.silent(
            framesPerSecond: framesPerSecond, keyframeInterval: 12, bidirectionalFrames: 2)
        let times = media.frameTimes!
        let rig = Rig(media)
        for vsync in 0..<118 {
            rig.advance(to: MediaTime(value: Int64(vsync), timescale: 60))
            let now = rig.item.currentTime
            #expect(rig.takeFrame() == times.index(at: now + FrameQueue.tolerance))
        }
    }

    @Test func `a variable frame rate follows its timestamps`() {
        let milliseconds: [Int64] = [0, 40, 50, 200, 333, 334, 700, 701, 702, 900]
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                times: milliseconds.map { MediaTime(value: $0, timescale: 1000) },
                end: MediaTime(value: 1000, timescale: 1000)), sounds: [])
        media.keyframeInterval = 4
        let rig = Rig(media)
        for millisecond in stride(from: Int64(0), to: 1000, by: 7) {
            rig.advance(to: MediaTime(value: millisecond, timescale: 1000))
            #expect(rig.takeFrame() == media.frameTimes?.index(at: rig.item.currentTime))
        }
    }

    @Test func `playback does not start by itself`() {
        let rig = Rig(.silent(), isPlaying: false)
        #expect(rig.player.timeControlStatus == .paused)
        rig.clock.advance(by: MediaTime(value: 1, timescale: 1))
        #expect(rig.item.currentTime == .zero)
        #expect(rig.takeFrame() == 0)
    }

    @Test func `a taken frame is not new, and can be copied again`() {
        let rig = Rig(.silent(), isPlaying: false)
        #expect(rig.output.hasNewPixelBuffer(forItemTime: .zero))
        #expect(rig.takeFrame() == 0)
        #expect(!rig.output.hasNewPixelBuffer(forItemTime: .zero))
        #expect(rig.takeFrame() == 0)
    }

    @Test func `every output records its frames on its own`() {
        let rig = Rig(.silent(), isPlaying: false)
        let other = PlayerItemVideoOutput()
        rig.item.add(other)
        #expect(rig.takeFrame() == 0)
        #expect(other.hasNewPixelBuffer(forItemTime: .zero))
        rig.item.remove(other)
        #expect(!other.hasNewPixelBuffer(forItemTime: .zero))
    }

    @Test func `an output can be asked ahead of the playhead`() {
        let rig = Rig(.silent(), isPlaying: false)
        _ = rig.output.waitForPixelBuffer(after: MediaTime(value: 2, timescale: 30))
        let ahead = rig.output.copyPixelBuffer(forItemTime: MediaTime(value: 2, timescale: 30))
        #expect(ahead.flatMap { FrameNumberStrip.read(from: $0.0) } == 2)
        #expect(rig.takeFrame() == 0)
    }

    @Test func `pausing stops the timeline, and playing continues from there`() {
        let rig = Rig(.silent())
        rig.advance(to: MediaTime(value: 1, timescale: 2))
        rig.player.pause()
        rig.clock.advance(by: MediaTime(value: 5, timescale: 1))
        #expect(rig.item.currentTime == MediaTime(value: 1, timescale: 2))
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.advance(to: rig.clock.time + MediaTime(value: 1, timescale: 10))
        #expect(rig.item.currentTime == MediaTime(value: 6, timescale: 10))
        #expect(rig.takeFrame() == 18)
    }

    @Test func `at double rate every other frame covers a vsync`() {
        let rig = Rig(.silent(), isPlaying: false)
        rig.player.rate = 2
        rig.waitUntil { $0.isRunning }
        for vsync in 0..<50 {
            rig.advance(to: MediaTime(value: Int64(vsync), timescale: 60))
            #expect(rig.takeFrame() == vsync)
        }
    }

    @Test func `playing to the end stops there and shows the last frame`() {
        let rig = Rig(.silent())
        for vsync in 0...121 { rig.advance(to: MediaTime(value: Int64(vsync), timescale: 60)) }
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.item.currentTime == MediaTime(value: 2, timescale: 1))
        #expect(rig.player.rate == 0)
        #expect(rig.takeFrame() == 59)
        #expect(rig.item.statistics.decodedFrames == 60)
    }

    @Test func `frames not taken in time count as dropped`() {
        let rig = Rig(.silent())
        rig.advance(to: .zero)
        #expect(rig.takeFrame() == 0)
        for vsync in 1...10 { rig.advance(to: MediaTime(value: Int64(vsync), timescale: 30)) }
        #expect(rig.takeFrame() == 10)
        #expect(rig.item.statistics.droppedFrames == 9)
    }

    @Test func `a frame that cannot be decoded is skipped`() {
        var media = SyntheticMedia.silent()
        media.faults.undecodableFrames = [10, 11]
        let rig = Rig(media)
        var shown: [Int] = []
        for frame in 0..<20 {
            rig.advance(to: MediaTime(value: Int64(frame), timescale: 30))
            if let number = rig.takeFrame() { shown.append(number) }
        }
        #expect(shown == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 15, 16, 17, 18, 19])
        #expect(rig.item.statistics.decodingErrors == 2)
        #expect(rig.item.lastDecodingError?.code == .decodingFailed)
    }

    @Test func `an asset that cannot be opened fails the item, with the reason`() {
        var media = SyntheticMedia.silent()
        let reason = MediaError(.damaged, subject: "film", cause: "its index is missing")
        media.faults.willOpen = { _ throws(MediaError) in throw reason }
        let rig = Rig(media, isPlaying: false)
        #expect(rig.item.status == .failed(reason))
        #expect(!rig.seek(to: .zero))
    }

    @Test func `an item without anything decodable fails with that reason`() {
        var media = SyntheticMedia.silent()
        media.faults.undecodableFrames = Set(0..<60)
        let rig = Rig(media)
        rig.waitUntil { _ in false }
        #expect(rig.item.error?.code == .decodingFailed)
        // For a single packet, the error states that playback continues.
        #expect(rig.item.error == rig.item.lastDecodingError?.withNothingDecoded)
        #expect(rig.item.statistics.decodingErrors == 60)
        #expect(!rig.item.hasPlayedToEnd)
        #expect(!rig.seek(to: .zero))
    }

    @Test func `an asset without tracks fails the item`() {
        let rig = Rig(SyntheticMedia(frameTimes: nil, sounds: []), isPlaying: false)
        #expect(rig.item.error?.code == .noPlayableTracks)
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

@Suite struct SeekingTests {
    static let media = SyntheticMedia.silent(
        seconds: 4, keyframeInterval: 30, bidirectionalFrames: 2)

    @Test(arguments: [0, 1, 29, 30, 31, 59, 90, 117, 118, 119])
    func `an exact seek shows the frame that covers the target`(frame: Int64) {
        let rig = Rig(Self.media, isPlaying: false)
        for offset in [0, 1, 32] as [Int64] {
            let target = MediaTime(value: frame * 33 + offset, timescale: 990)
            #expect(rig.seek(to: target))
            #expect(rig.item.currentTime == target)
            #expect(rig.takeFrame() == Int(frame))
        }
    }

    @Test func `seeking beyond the end shows the last frame`() {
        let rig = Rig(Self.media, isPlaying: false)
        #expect(rig.seek(to: MediaTime(value: 100, timescale: 1)))
        #expect(rig.takeFrame() == 119)
    }

    @Test func `playback begins at a seek from before the item was opened`() {
        let item = PlayerItem(asset: SyntheticAsset(Self.media))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let landed = Monitor<Bool?>(nil)
        item.seek(
            to: MediaTime(value: 2, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero
        ) { done in landed.change { $0 = done } }
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        #expect(landed.wait { $0 })
        #expect(player.currentItem?.currentTime == MediaTime(value: 2, timescale: 1))
        let picture = output.copyPixelBuffer(forItemTime: item.currentTime)
        #expect(picture.flatMap { FrameNumberStrip.read(from: $0.0) } == 60)
    }

    @Test func `a seek with tolerance lands on the keyframe, and the time is the keyframe's`() {
        let rig = Rig(Self.media, isPlaying: false)
        #expect(
            rig.seek(to: MediaTime(value: 44, timescale: 30), toleranceBefore: .positiveInfinity))
        #expect(rig.item.currentTime == MediaTime(value: 1, timescale: 1))
        #expect(rig.takeFrame() == 30)
    }

    @Test func `the old frame stays until the new one is decoded`() {
        var media = Self.media
        let gate = Monitor(false)
        media.faults.willDecodeFrame = { number throws(MediaError) in
            if number >= 90 { _ = gate.wait { $0 ? true : nil } }
        }
        let rig = Rig(media, isPlaying: false)
        #expect(rig.takeFrame() == 0)
        let landed = Monitor<Bool?>(nil)
        rig.item.seek(
            to: MediaTime(value: 3, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero
        ) { done in
            landed.change { $0 = done }
        }
        #expect(!rig.output.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
        #expect(rig.takeFrame() == 0)
        gate.change { $0 = true }
        #expect(landed.wait { $0 })
        #expect(rig.output.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
        #expect(rig.takeFrame() == 90)
    }

    @Test func `a newer seek supersedes an older one, and each completes once`() {
        let rig = Rig(Self.media, isPlaying: false)
        let results = Monitor<[Int: [Bool]]>([:])
        for number in 0..<40 {
            let time = MediaTime(value: Int64(number * 7 % 120), timescale: 30)
            rig.item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { done in
                results.change { $0[number, default: []].append(done) }
            }
        }
        let all = results.wait { $0.count == 40 ? $0 : nil }
        #expect(all.values.allSatisfy { $0.count == 1 })
        #expect(all[39] == [true])
        #expect(rig.takeFrame() == 39 * 7 % 120)
    }

    @Test func `playback continues from the target of a seek`() {
        let rig = Rig(Self.media)
        rig.advance(to: MediaTime(value: 1, timescale: 2))
        #expect(rig.seek(to: MediaTime(value: 3, timescale: 1)))
        rig.waitUntil { $0.isRunning }
        rig.advance(to: MediaTime(value: 1, timescale: 1))
        #expect(rig.item.currentTime == MediaTime(value: 7, timescale: 2))
        #expect(rig.takeFrame() == 105)
    }

    @Test func `seeks to times that are not numeric are rejected`() {
        let rig = Rig(Self.media, isPlaying: false)
        for time in [MediaTime.invalid, .indefinite, .positiveInfinity, .negativeInfinity] {
            #expect(!rig.seek(to: time))
        }
        #expect(rig.seek(to: MediaTime(value: -5, timescale: 1)))
        #expect(rig.takeFrame() == 0)
    }

    @Test func `stepping moves by whole frames in both directions`() {
        let rig = Rig(Self.media, isPlaying: false)
        #expect(rig.seek(to: MediaTime(value: 61, timescale: 30)))
        _ = rig.output.waitForPixelBuffer(after: rig.item.currentTime)
        rig.item.step(byCount: 1)
        #expect(rig.takeFrame() == 62)
        #expect(rig.item.currentTime == MediaTime(value: 62, timescale: 30))
        for frame in [61, 60, 59, 58] {
            rig.item.step(byCount: -1)
            rig.waitUntil { $0.seek == nil }
            let exact = MediaTime(value: Int64(frame), timescale: 30)
            rig.waitUntil { [timebase = rig.item.timebase] _ in timebase.time == exact }
            #expect(rig.takeFrame() == frame)
        }
    }

    @Test func `releasing an item ends a pending seek with false`() {
        var media = Self.media
        let gate = Monitor(false)
        media.faults.willDecodeFrame = { _ throws(MediaError) in _ = gate.wait { $0 ? true : nil } }
        let result = Monitor<Bool?>(nil)
        do {
            let item = PlayerItem(asset: SyntheticAsset(media))
            let player = Player(playerItem: item, audioSink: nil)
            item.seek(to: .zero) { done in result.change { $0 = done } }
            player.replaceCurrentItem(with: nil)
        }
        #expect(result.wait { $0 } == false)
        gate.change { $0 = true }
    }
}

// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Videos that arrive more slowly than they play.
@Suite struct StallTests {
    /// Returns the time at which a video stops of which so many frames have arrived.
    private static func dryTime(_ frames: Int64) -> MediaTime {
        MediaTime(value: frames, timescale: 30)
    }

    @Test(arguments: [true, false])
    func `the timeline stops at the last available frame and continues from there`(
        hasSound: Bool
    ) throws {
        let rig = StallRig(seconds: 1.5, hasSound: hasSound)
        rig.play()
        rig.advance(milliseconds: 1700)
        let stop = Self.dryTime(45)
        #expect(rig.item.currentTime == stop)
        #expect(rig.item.isPlaybackBufferEmpty)
        rig.advance(milliseconds: 3000)
        #expect(rig.item.currentTime == stop)
        #expect(rig.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(rig.player.reasonForWaitingToPlay == .toMinimizeStalls)
        #expect(rig.player.rate == 1)
        #expect(!rig.item.isPlaybackLikelyToKeepUp)

        rig.gate.open()
        rig.waitUntil { $0.isRunning }
        #expect(rig.player.timeControlStatus == .playing)
        #expect(rig.player.reasonForWaitingToPlay == nil)
        rig.advance(milliseconds: 2000)
        #expect(rig.item.currentTime > MediaTime(value: 3, timescale: 1))
        #expect(rig.item.statistics.stalls == 1)
        #expect(rig.wrongFrames == [])
        #expect(!hasSound || rig.wrongSamples == [])
    }

    @Test func `a lack of less than a quarter of a second is not a stall`() {
        let rig = StallRig(seconds: 1.5)
        rig.play()
        rig.advance(milliseconds: 1700)
        #expect(rig.item.currentTime == Self.dryTime(45))
        #expect(rig.player.timeControlStatus == .playing)
        rig.gate.open()
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 1000)
        #expect(rig.item.statistics.stalls == 0)
        #expect(rig.wrongFrames == [])
        #expect(rig.wrongSamples == [])
    }

    @Test func `every stall is reported once, in order`() {
        let rig = StallRig(seconds: 1.5)
        let events = Monitor<[PlayerItem.Event]>([])
        let token = rig.item.observeEvents { event in events.change { $0.append(event) } }
        rig.play()
        for second in [4.5, 8.0] {
            rig.advance(milliseconds: 5000)
            rig.waitUntil { !$0.isPlaying }
            rig.allow(seconds: second)
            rig.waitUntil { $0.isRunning }
        }
        rig.gate.open()
        rig.advance(milliseconds: 5000)
        rig.waitUntil { $0.hasPlayedToEnd }
        let reported = events.wait { $0.contains(.didPlayToEndTime) ? $0 : nil }
        #expect(reported == [.playbackStalled, .playbackStalled, .didPlayToEndTime])
        #expect(rig.wrongFrames == [])
        #expect(rig.wrongSamples == [])
        token.cancel()
    }

    @Test func `a stall can be watched by closures and by sequences`() async {
        let rig = StallRig(seconds: 1.5)
        let empty = Monitor<[Bool]>([])
        let token = rig.item.observe(\.isPlaybackBufferEmpty) { change in
            empty.change { $0.append(change.newValue) }
        }
        rig.play()
        rig.advance(milliseconds: 2000)
        // The notification comes when the item next checks its packets.
        rig.waitUntil { $0.buffering.status.isEmpty }
        var reasons = rig.player.values(of: \.reasonForWaitingToPlay).makeAsyncIterator()
        rig.gate.open()
        rig.waitUntil { $0.isRunning }
        #expect(await reasons.next() == .toMinimizeStalls)
        #expect(await reasons.next() == .some(nil))
        // Something, then nothing, and then the rest.
        let reported = empty.wait { $0.suffix(2) == [true, false] ? $0 : nil }
        #expect(reported.count <= 3)
        token.cancel()
    }

    /// Audio that arrived too late for its device lies beyond the time at which the timeline holds.
    @Test func `a frame before the gap does not count as playable`() {
        let rig = StallRig(seconds: 1.5)
        rig.play()
        rig.advance(milliseconds: 2000)
        rig.waitUntil { $0.buffering.status.isEmpty }
        let pipeline = rig.item.pipeline
        let earlier = pipeline.timebase.time - MediaTime(value: 1, timescale: 20)
        pipeline.timebase.setRate(0, time: earlier, atMasterTime: .zero)
        pipeline.post(.look)
        #expect(pipeline.control.withLock { $0.buffering.status.isEmpty })
        rig.gate.open()
        rig.waitUntil { $0.isRunning }
        rig.waitUntil { !$0.buffering.status.isEmpty }
    }

    @Test func `after a stall playback waits for the level, not for the first packet`() {
        let rig = StallRig(seconds: 1.5)
        rig.play()
        rig.advance(milliseconds: 2500)
        // The awaited data arrived over a long time, so more than half a second is required.
        rig.allow(seconds: 2)
        rig.gate.waitUntilClosed()
        rig.settle()
        #expect(rig.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(!rig.item.isPlaybackBufferEmpty || rig.item.loadedTimeRanges.isEmpty)
        rig.gate.open()
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 500)
        #expect(rig.wrongSamples == [])
    }

    @Test func `if no more data arrives, the loaded media is played`() {
        let rig = StallRig(StallRig.film(seconds: 20), seconds: 1.5)
        rig.play()
        rig.advance(milliseconds: 2000)
        // So slowly that the arriving data does not last long.
        rig.clock.advance(by: MediaTime(value: 8, timescale: 1))
        rig.allow(seconds: 4)
        rig.gate.waitUntilClosed()
        rig.settle()
        rig.waitUntil { $0.waitsForLevel }
        rig.advance(milliseconds: 4500)
        #expect(rig.player.reasonForWaitingToPlay == .toMinimizeStalls)
        #expect(rig.item.currentTime == Self.dryTime(45))
        rig.advance(milliseconds: 600)
        #expect(rig.player.timeControlStatus == .playing)
        rig.advance(milliseconds: 3000)
        // Everything is played, and then it waits again.
        #expect(rig.item.currentTime == Self.dryTime(120))
        #expect(rig.player.reasonForWaitingToPlay == .toMinimizeStalls)
        rig.advance(milliseconds: 5100)
        #expect(rig.item.currentTime == Self.dryTime(120))
        rig.gate.open()
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 500)
        #expect(rig.wrongSamples == [])
    }

    @Test func `playImmediately begins with the loaded media, and waits again after a stall`() {
        let rig = StallRig(seconds: 0.6)
        rig.player.play()
        rig.gate.waitUntilClosed()
        rig.waitUntil { $0.waitsForLevel }
        #expect(rig.player.reasonForWaitingToPlay == .toMinimizeStalls)
        rig.player.playImmediately(atRate: 1)
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 1200)
        #expect(rig.item.currentTime == Self.dryTime(18))
        #expect(rig.player.reasonForWaitingToPlay == .toMinimizeStalls)
        rig.gate.open()
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 500)
        #expect(rig.item.statistics.stalls == 1)
        #expect(rig.wrongSamples == [])
    }

    @Test func `a player that does not wait continues with the loaded media`() {
        let rig = StallRig(seconds: 0.6)
        rig.player.automaticallyWaitsToMinimizeStalling = false
        rig.play()
        rig.advance(milliseconds: 1200)
        #expect(rig.item.statistics.stalls == 1)
        #expect(rig.player.reasonForWaitingToPlay == .evaluatingBufferingRate)
        rig.allow(seconds: 1.2)
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 1200)
        #expect(rig.item.currentTime == Self.dryTime(36))
        #expect(rig.item.statistics.stalls == 2)
        #expect(rig.wrongFrames == [])
        #expect(rig.wrongSamples == [])
    }

    /// Containers round the ends of tracks. A track that has been read to almost its end may
    /// therefore have ended, or not.
    @Test(arguments: [true, false])
    func `the timeline also holds in the last quarter of a second`(hasSound: Bool) {
        let rig = StallRig(StallRig.film(seconds: 2), seconds: 1.6, hasSound: hasSound)
        rig.player.automaticallyWaitsToMinimizeStalling = false
        rig.play()
        rig.advance(milliseconds: 1800)
        #expect(rig.item.currentTime == Self.dryTime(48))
        rig.allow(seconds: 1.9)
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 600)
        #expect(rig.item.currentTime == Self.dryTime(57))
        rig.gate.open()
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 300)
        #expect(rig.item.currentTime == Self.dryTime(60))
        #expect(rig.item.statistics.stalls == 1)
        #expect(rig.wrongFrames == [])
        #expect(rig.wrongSamples == [])
    }

    /// The decoder had run out of data ahead of the playhead, but more arrived before the device
    /// requested it.
    @Test func `the timeline does not hold if audio arrives just in time`() {
        let rig = StallRig(seconds: 0.6)
        rig.player.automaticallyWaitsToMinimizeStalling = false
        rig.play()
        rig.advance(milliseconds: 1200)
        // All frames up to 1.2 s, and all audio packets except the last that begins before.
        rig.allow(seconds: 1.19)
        rig.waitUntil { $0.isRunning }
        rig.gate.waitUntilClosed()
        rig.advance(milliseconds: 500)
        let pipeline = rig.item.pipeline
        rig.waitUntil { _ in pipeline.packets.level.dryTracks.count == 2 }
        // The state from before the decoders arrived is determined again.
        pipeline.post(.clockChanged)
        pipeline.post(.look)
        let end = pipeline.control.withLock { $0.buffering.dwindling?.sound?.seconds } ?? 0
        #expect(abs(end * 48000 - 56 * 1024) < 0.01)
        rig.allow(seconds: 1.2)
        rig.gate.waitUntilClosed()
        rig.advance(milliseconds: 1200)
        #expect(rig.item.currentTime == Self.dryTime(36))
        #expect(rig.wrongFrames == [])
        #expect(rig.wrongSamples == [])
    }

    /// The device takes audio some time before it is played: a gap is known before the timeline
    /// reaches it, and more audio may have arrived by then.
    @Test func `audio that the device missed is played when it arrives`() {
        let rig = StallRig(seconds: 0.6)
        rig.player.automaticallyWaitsToMinimizeStalling = false
        rig.play()
        /// Advances to a time of the item, which it must reach.
        func advance(to seconds: Double) {
            for _ in 0..<100 where rig.item.currentTime.seconds < seconds {
                rig.advance(milliseconds: 10)
            }
            #expect(rig.item.currentTime.seconds >= seconds)
        }
        advance(to: 0.52)
        let pipeline = rig.item.pipeline
        pipeline.post(.look)
        #expect(pipeline.control.withLock { $0.buffering.dwindling?.sound } != nil)
        // One more audio packet, before the device requests it, and the rest before that is played.
        rig.allow(seconds: 0.62)
        rig.gate.waitUntilClosed()
        advance(to: 0.605)
        rig.gate.open()
        // If the rest arrives after the playhead reached the gap, the timeline holds until then.
        for _ in 0..<300 where rig.item.currentTime.seconds <= 1.5 {
            rig.waitUntil { $0.isRunning }
            rig.advance(milliseconds: 10)
        }
        #expect(rig.item.currentTime.seconds > 1.5)
        #expect(rig.wrongFrames == [])
        #expect(rig.wrongSamples == [])
    }

    @Test func `a declared timeline continues and reports a stall`() {
        let rig = StallRig(seconds: 1, hasSound: false)
        rig.waitUntil { $0.hasVideo }
        rig.player.setRate(1, time: .zero, atHostTime: rig.clock.time)
        rig.advance(milliseconds: 3000)
        #expect(rig.item.currentTime == MediaTime(value: 3, timescale: 1))
        #expect(rig.player.timeControlStatus == .playing)
        #expect(rig.item.statistics.stalls == 1)
        rig.gate.open()
    }

    /// The clock has passed the time at which the decoded media ends when the start is declared.
    @Test func `a declared timeline that decoding has not reached has missed nothing before`() {
        let rig = StallRig(seconds: 0.5, hasSound: false)
        rig.waitUntil { $0.hasVideo }
        rig.gate.waitUntilClosed()
        rig.player.setRate(
            1, time: .zero, atHostTime: rig.clock.time - MediaTime(value: 9, timescale: 10))
        rig.waitUntil { $0.buffering.dryness != nil }
        rig.item.pipeline.post(.look)
        rig.advance(milliseconds: 200)
        #expect(rig.item.statistics.stalls == 0)
        rig.gate.open()
        rig.waitUntil { $0.buffering.dryness == nil }
        rig.advance(milliseconds: 1000)
        #expect(rig.item.currentTime == MediaTime(value: 21, timescale: 10))
        #expect(rig.item.statistics.stalls == 0)
    }

    @Test func `selecting another audio track during playback does not hold the timeline`() throws {
        var media = StallRig.film()
        media.sounds.append(media.sounds[0])
        let limit = Monitor(MediaTime.positiveInfinity)
        media.faults.willReturnPacket = { time in _ = limit.wait { time < $0 ? true : nil } }
        let rig = StallRig(media, seconds: 100)
        rig.play()
        rig.advance(milliseconds: 1000)
        let start = rig.item.currentTime
        let group = try #require(rig.item.mediaSelectionGroup(for: .audible))
        let pipeline = rig.item.pipeline
        // The limit does not end a read, so nothing may be left to read before the seek.
        rig.waitUntil { _ in pipeline.packets.level.hasEnded }
        // Less audio arrives than the device takes at once.
        limit.change { $0 = start + MediaTime(value: 30, timescale: 1000) }
        rig.item.select(group.options[1], in: group)
        rig.waitUntil { control in
            control.seek == nil && pipeline.packets.level.dryTracks.count == 2
        }
        pipeline.post(.look)
        limit.change { $0 = .positiveInfinity }
        rig.advance(milliseconds: 500)
        #expect(rig.item.currentTime == start + MediaTime(value: 500, timescale: 1000))
        #expect(rig.item.statistics.stalls == 0)
    }

    @Test func `pausing and seeking end a stall`() {
        let rig = StallRig(seconds: 1.5)
        rig.play()
        rig.advance(milliseconds: 2500)
        rig.player.pause()
        #expect(rig.player.timeControlStatus == .paused)
        #expect(rig.player.reasonForWaitingToPlay == nil)
        rig.gate.open()
        let landed = Monitor<Bool?>(nil)
        rig.item.seek(
            to: MediaTime(value: 4, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero
        ) { done in landed.change { $0 = done } }
        #expect(landed.wait { $0 })
        rig.play()
        rig.advance(milliseconds: 300)
        #expect(rig.item.statistics.stalls == 1)
        #expect(rig.item.currentTime > MediaTime(value: 4, timescale: 1))
    }

    @Test func `local media stalls only if a single read takes long`() {
        let rig = StallRig(seconds: 1.5, isNetwork: false)
        rig.play()
        rig.gate.waitUntilClosed()
        rig.advance(milliseconds: 200)
        // By the clock, the read has been waiting since the beginning when the video stalls.
        rig.advance(milliseconds: 2500)
        #expect(rig.item.currentTime == Self.dryTime(45))
        rig.gate.open()
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 500)
        #expect(rig.wrongSamples == [])
    }

    @Test func `media without a transfer never waits`() {
        let decoding = Monitor(true)
        var media = SyntheticMedia.silent(seconds: 4)
        media.faults.willReadPacket = { number throws(MediaError) in
            if number == 60 { decoding.wait { $0 ? true : nil } }
        }
        let rig = Rig(media)
        decoding.change { $0 = false }
        rig.clock.advance(to: MediaTime(value: 3, timescale: 1))
        #expect(rig.item.currentTime == MediaTime(value: 3, timescale: 1))
        #expect(rig.item.statistics.stalls == 0)
        decoding.change { $0 = true }
    }

    @Test func `loaded ranges end where the shortest track has been read to`() {
        let rig = StallRig(seconds: 3)
        rig.gate.waitUntilClosed()
        rig.settle()
        let range = rig.item.loadedTimeRanges.first
        #expect(range?.start == .zero)
        // Reported in steps of a quarter of a second.
        let end = range?.end.seconds ?? 0
        #expect(end <= 3.03 && end > 2.7)
        #expect(rig.item.isPlaybackLikelyToKeepUp)
        #expect(!rig.item.isPlaybackBufferFull)
        rig.gate.open()
    }

    @Test func `the preferred duration limits reading ahead`() {
        let rig = StallRig(StallRig.film(seconds: 20), seconds: 0)
        rig.item.preferredForwardBufferDuration = MediaTime(value: 4, timescale: 1)
        rig.gate.open()
        rig.waitUntil { $0.buffering.status.isFull }
        let end = rig.item.loadedTimeRanges.first?.end.seconds ?? 0
        // In addition, there is decoded data: almost three seconds of audio.
        #expect(end > 3.9 && end < 8)
        #expect(rig.item.isPlaybackBufferFull)
        #expect(rig.item.isPlaybackLikelyToKeepUp)
    }
}

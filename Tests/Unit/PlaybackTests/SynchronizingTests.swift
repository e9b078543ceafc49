// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Starts that are declared for a past or coming host time.
@Suite struct SynchronizingTests {
    private static let film = SyntheticMedia.silent(
        framesPerSecond: 30, seconds: 4, keyframeInterval: 30, bidirectionalFrames: 2)

    private static func seconds(_ value: Int64, _ scale: Int32 = 1) -> MediaTime {
        MediaTime(value: value, timescale: scale)
    }

    @Test func `a future start holds the first frame until its instant`() async {
        let rig = Rig(Self.film, isPlaying: false)
        #expect(await rig.player.preroll(atRate: 1))
        let start = Self.seconds(1, 4)
        rig.player.setRate(1, time: .zero, atHostTime: start)
        rig.advance(to: start)
        #expect(rig.item.currentTime == .zero)
        #expect(rig.takeFrame() == 0)
        for vsync in 1..<60 {
            rig.advance(to: start + Self.seconds(Int64(vsync), 60))
            #expect(rig.item.currentTime == rig.clock.time - start)
            #expect(rig.takeFrame() == vsync / 2)
        }
    }

    @Test func `a start in the past plays as if it had run since then`() {
        let rig = Rig(Self.film, isPlaying: false)
        rig.advance(to: Self.seconds(10))
        rig.player.setRate(1, time: Self.seconds(1, 2), atHostTime: Self.seconds(8))
        #expect(rig.item.currentTime == Self.seconds(5, 2))
        rig.waitUntil { $0.seek == nil }
        #expect(rig.takeFrame() == 75)
        rig.advance(to: Self.seconds(21, 2))
        #expect(rig.takeFrame() == 90)
    }

    @Test func `catching up skips frames that no other needs`() {
        let decoded = Monitor<[Int]>([])
        var media = Self.film
        media.faults.willDecodeFrame = { frame throws(MediaError) in
            decoded.change { $0.append(frame) }
        }
        let rig = Rig(media, isPlaying: false)
        _ = rig.output.waitForPixelBuffer(after: .zero)
        rig.advance(to: Self.seconds(10))
        rig.player.setRate(1, time: .zero, atHostTime: Self.seconds(10) - Self.seconds(89, 30))
        rig.advance(to: Self.seconds(10))
        #expect(rig.takeFrame() == 89)
        // From keyframe 60 on every third frame is a reference, and the last one is shown.
        #expect(decoded.withLock { $0.count { (60..<89).contains($0) } } == 10)
    }

    /// Frame 16 of a video in which every other frame is a reference, and that one is damaged: so
    /// the frame before it is due, which has ended by its duration.
    @Test(arguments: [0, 1, 12])
    func `a start on a damaged frame shows the one before, from far and near`(first: Int64) {
        var media = SyntheticMedia.silent(seconds: 2, keyframeInterval: 60, bidirectionalFrames: 1)
        media.faults.undecodableFrames = [16]
        let rig = Rig(media, isPlaying: false)
        #expect(rig.seek(to: Self.seconds(first, 30)))
        _ = rig.output.waitForPixelBuffer(after: rig.item.currentTime)
        rig.player.setRate(1, time: Self.seconds(33, 60), atHostTime: rig.clock.time)
        rig.waitUntil { $0.seek == nil }
        _ = rig.output.waitForPixelBuffer(after: Self.seconds(33, 60))
        #expect(rig.takeFrame() == 15)
        rig.advance(to: Self.seconds(1, 60))
        #expect(rig.takeFrame() == 17)
    }

    @Test func `a pause after catching up shows the frame that is due`() {
        var media = SyntheticMedia.silent(seconds: 2, keyframeInterval: 60, bidirectionalFrames: 1)
        media.faults.missingFrames = [30]
        let rig = Rig(media)
        rig.clock.advance(to: Self.seconds(61, 60))
        rig.waitUntil { $0.exactFrom == Self.seconds(31, 30) }
        rig.player.pause()
        rig.waitUntil { $0.seek == nil && $0.exactFrom == .negativeInfinity }
        _ = rig.output.waitForPixelBuffer(after: rig.item.currentTime)
        #expect(rig.takeFrame() == 29)
    }

    /// A declared start does not wait for media, so the playhead may run ahead of what has arrived.
    @Test(arguments: [false, true])
    func `ahead of the media, the newest frame that has arrived is shown`(isPaused: Bool) throws {
        let rig = StallRig(seconds: 0.5, hasSound: false)
        rig.waitUntil { $0.hasVideo }
        rig.player.setRate(1, time: .zero, atHostTime: rig.clock.time)
        rig.clock.advance(to: rig.clock.time + Self.seconds(2))
        if isPaused { rig.player.pause() }
        for count in [16, 18, 23] {
            rig.gate.allow(packets: count)
            try eventually("frame \(count - 1)") {
                let found = rig.output.copyPixelBuffer(forItemTime: rig.item.currentTime)
                return found.flatMap { FrameNumberStrip.read(from: $0.0) } == count - 1
            }
        }
    }

    @Test func `a small jump ahead does not decode anything again`() {
        let rig = Rig(Self.film)
        rig.advance(to: Self.seconds(1, 2))
        let generation = rig.item.pipeline.control.withLock { $0.generation }
        rig.player.setRate(1, atHostTime: Self.seconds(1, 4))
        #expect(rig.item.currentTime == Self.seconds(3, 4))
        rig.advance(to: Self.seconds(1, 2))
        #expect(rig.takeFrame() == 22)
        #expect(rig.item.pipeline.control.withLock { $0.generation } == generation)
    }

    @Test func `a start declared before the item is open is kept`() {
        let gate = OpeningGate()
        let (clock, item) = (ManualClock(), PlayerItem(gate.before(Self.film)))
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        player.setRate(2, time: Self.seconds(1), atHostTime: Self.seconds(1, 2))
        gate.open()
        item.pipeline.control.wait { $0.isRunning ? true : nil }
        clock.advance(to: Self.seconds(1))
        #expect(item.currentTime == Self.seconds(2))
        #expect(player.timeControlStatus == .playing)
    }

    @Test(arguments: [false, true])
    func `of a declared start and a seek the later one wins`(
        isOpen: Bool
    ) {
        for seeksLast in [false, true] {
            let gate = OpeningGate(isOpen: isOpen)
            let item = PlayerItem(gate.before(Self.film))
            let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
            if isOpen { item.pipeline.control.wait { $0.hasVideo ? true : nil } }
            let landed = Monitor<Bool?>(nil)
            if seeksLast { player.setRate(1, time: Self.seconds(1)) }
            item.seek(to: Self.seconds(3), toleranceBefore: .zero, toleranceAfter: .zero) {
                result in
                landed.change { $0 = result }
            }
            if !seeksLast { player.setRate(1, time: Self.seconds(1)) }
            gate.open()
            let hasLanded = landed.wait { $0 }
            #expect(hasLanded || !seeksLast)
            item.pipeline.control.wait { $0.isRunning && $0.seek == nil ? true : nil }
            #expect(item.currentTime == Self.seconds(seeksLast ? 3 : 1))
            #expect(player.rate == 1)
        }
    }

    @Test func `two players on one clock show the same frame at every vsync`() {
        let clock = ManualClock()
        let items = (0..<2).map { _ in PlayerItem(asset: SyntheticAsset(Self.film)) }
        let outputs = items.map { item in
            let output = PlayerItemVideoOutput()
            item.add(output)
            return output
        }
        let players = items.map { Player(playerItem: $0, audioSink: nil, masterClock: clock) }
        for item in items { item.pipeline.control.wait { $0.hasVideo ? true : nil } }
        for player in players { player.setRate(1, time: .zero, atHostTime: Self.seconds(1, 10)) }
        for vsync in 0..<200 {
            clock.advance(to: Self.seconds(Int64(vsync), 60))
            let frames = zip(items, outputs).map { item, output -> MediaTime? in
                _ = output.waitForPixelBuffer(after: item.currentTime)
                let time = output.itemTime(forHostTime: clock.time)
                return output.copyPixelBuffer(forItemTime: time)?.displayTime
            }
            #expect(items[0].currentTime == items[1].currentTime)
            #expect(frames[0] == frames[1] && frames[0] != nil)
        }
    }

    @Test func `the first sample is heard exactly at the start`() async throws {
        let clock = ManualClock(time: Self.seconds(100))
        let sink = CaptureAudioSink(clock: clock)
        let duration = Self.seconds(4)
        let media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
            sounds: [SyntheticSound(.sampleNumbers, duration: duration)])
        let item = PlayerItem(asset: SyntheticAsset(media))
        let player = Player(playerItem: item, audioSink: sink)
        try await item.waitUntilReady()
        #expect(await player.preroll(atRate: 1))
        let start = Self.seconds(100) + Self.seconds(1, 4)
        player.setRate(1, time: .zero, atHostTime: start)
        for _ in 0..<50 { sink.advance(to: clock.time + Self.seconds(1, 100)) }
        let run = try #require(sink.runs.last)
        let left = stride(from: 0, to: run.samples.count, by: 2).map { run.samples[$0] }
        let first = try #require(left.firstIndex { $0 != 0 })
        let silence = (start - MediaTime(nanoseconds: run.clockTime)).converted(toTimescale: 48000)
        // Sample number 0 is silence, and sample number 1 comes one sample after the start.
        #expect(first == Int(silence.value) + 1)
        #expect(left[first] == Float(1) / Float(1 << 22))
    }

    @Test
    func `a preroll ends with false when it or its task is cancelled, or a seek comes first`() async
    {
        var media = Self.film
        let gate = Monitor(false)
        media.faults.willDecodeFrame = { _ throws(MediaError) in _ = gate.wait { $0 ? true : nil } }
        let item = PlayerItem(asset: SyntheticAsset(media))
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        for end in [{ player.cancelPendingPrerolls() }, { item.seek(to: .zero) }] {
            async let result = player.preroll(atRate: 1)
            // Without blocking: the call above may have to run on this thread.
            while item.pipeline.control.withLock({ $0.prerolls.isEmpty }) { await Task.yield() }
            end()
            #expect(await !result)
        }
        let preroll = Task { await player.preroll(atRate: 1) }
        while item.pipeline.control.withLock({ $0.prerolls.isEmpty }) { await Task.yield() }
        preroll.cancel()
        #expect(await !preroll.value)
        gate.change { $0 = true }
        #expect(await player.preroll(atRate: 1))
        player.play()
        #expect(await !player.preroll(atRate: 1))
    }

    @Test func `a start ends a preroll`() {
        var media = Self.film
        let gate = Monitor(false)
        // Enough for a frame, and too few to fill the queue.
        media.faults.willDecodeFrame = { frame throws(MediaError) in
            _ = gate.wait { $0 || frame < 7 ? true : nil }
        }
        defer { gate.change { $0 = true } }
        let rig = Rig(media, isPlaying: false)
        let prerolls = Monitor<[Bool]>([])
        rig.item.pipeline.post(.preroll { result in prerolls.change { $0.append(result) } })
        let generation = rig.item.pipeline.control.withLock { $0.generation }
        rig.player.setRate(1)
        #expect(prerolls.withLock { $0 } == [false])
        #expect(rig.item.pipeline.control.withLock { $0.generation } == generation)
    }

    @Test func `another master clock keeps the playhead`() {
        let rig = Rig(Self.film)
        rig.advance(to: Self.seconds(1))
        let other = ManualClock(time: Self.seconds(500))
        rig.player.masterClock = other
        rig.clock.advance(by: Self.seconds(1))
        #expect(rig.item.currentTime == Self.seconds(1))
        other.advance(by: Self.seconds(1, 2))
        #expect(rig.item.currentTime == Self.seconds(3, 2))
        rig.player.masterClock = nil
        rig.clock.advance(by: Self.seconds(1, 2))
        #expect(rig.item.currentTime == Self.seconds(2))
    }
}

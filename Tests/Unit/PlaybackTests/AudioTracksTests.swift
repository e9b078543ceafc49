// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// A film with several audio tracks, whose samples are known.
private struct TracksRig {
    static let rate = 48_000
    /// The volume of each tone, so that no sum reaches full scale; exact in binary.
    static let volume: Float = 0.125

    let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
    let sink: CaptureAudioSink
    let media: SyntheticMedia
    let item: PlayerItem
    let player: Player

    /// - Parameter right: The track that is heard on the right only, the others on the left.
    init(_ sounds: [SyntheticSound], right: Int? = nil, asset: Asset? = nil) {
        media = Self.media(sounds)
        sink = CaptureAudioSink(clock: clock)
        item = PlayerItem(asset: asset ?? SyntheticAsset(media))
        item.audioMix = AudioMix(
            inputParameters: sounds.indices.map { index in
                var parameters = AudioMixInputParameters(trackID: index + 1)
                parameters.setVolume(Self.volume)
                if let right { parameters.pan = index == right ? 1 : -1 }
                return parameters
            })
        player = Player(playerItem: item, audioSink: sink)
        item.pipeline.control.wait { $0.hasVideo ? true : nil }
    }

    static func media(_ sounds: [SyntheticSound]) -> SyntheticMedia {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: sounds.map(\.duration).max() ?? .zero),
            sounds: sounds)
        media.keyframeInterval = 15
        return media
    }

    static func tones(_ count: Int, seconds: Int64 = 4) -> [SyntheticSound] {
        (0..<count).map {
            SyntheticSound(
                .tone(200 + 70 * Double($0)), duration: MediaTime(value: seconds, timescale: 1))
        }
    }

    var sounds: [PlayerItemTrack] { item.tracks.filter { $0.assetTrack.mediaType == .audio } }

    func play() {
        player.play()
        item.pipeline.control.wait { $0.isRunning ? true : nil }
    }

    func advance(milliseconds: Int64) {
        sink.advance(milliseconds: milliseconds, on: clock, playing: item)
    }

    /// Seeks exactly, and waits until the seek has landed.
    func seek(milliseconds: Int64) {
        let landed = Monitor<Bool?>(nil)
        item.seek(
            to: MediaTime(value: milliseconds, timescale: 1000), toleranceBefore: .zero,
            toleranceAfter: .zero
        ) { isDone in landed.change { $0 = isDone } }
        #expect(landed.wait { $0 })
    }

    /// Waits until a track that has been enabled is read and decoded.
    func waitForTracks() {
        while !item.pipeline.hasSound(ahead: MediaTime(value: 1, timescale: 10)) {
            item.pipeline.control.wait(nanoseconds: 2_000_000) { _ in Bool?.none }
        }
    }

    /// The samples of one channel that were heard last: by default, since the item's beginning.
    func heard(channel: Int = 0, milliseconds: Int? = nil) -> [Float] {
        let samples = sink.samples
        // The sink takes audio by its latency ahead of the timeline.
        let taken = item.currentTime + sink.latency
        let count =
            milliseconds.map { $0 * Self.rate / 1000 }
            ?? Int(taken.converted(toTimescale: Int32(Self.rate)).value)
        return stride(from: channel, to: samples.count, by: 2).map { samples[$0] }.suffix(count)
    }

    /// The samples of a track by the mix, from a frame on.
    func samples(ofTrack track: Int, from first: Int, count: Int) -> [Float] {
        let sound = media.sounds[track]
        let end = sound.frameCount(sampleRate: Self.rate)
        return (first..<(first + count)).map {
            $0 < end ? sound.sample(at: $0, sampleRate: Self.rate) * Self.volume : 0
        }
    }

    /// The sum of tracks in the order in which the mixer adds them.
    func sum(ofTracks tracks: [Int], from first: Int = 0, count: Int) -> [Float] {
        var sum = [Float](repeating: 0, count: count)
        for track in tracks {
            let samples = samples(ofTrack: track, from: first, count: count)
            for index in sum.indices { sum[index] += samples[index] }
        }
        return sum
    }
}

@Suite struct AudioTracksTests {
    /// Returns the number of the first sample in which two sequences differ.
    private func differs(_ left: some Sequence<Float>, _ right: some Sequence<Float>) -> Int? {
        let (left, right) = (Array(left), Array(right))
        if left == right { return nil }
        return zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(left.count, right.count)
    }

    @Test func `eight audio tracks are heard as the sum of their samples, from the first one on`() {
        let rig = TracksRig(TracksRig.tones(8))
        #expect(rig.sounds.map(\.isEnabled) == [true] + Array(repeating: false, count: 7))
        for track in rig.sounds { track.isEnabled = true }
        #expect(rig.sounds.allSatisfy { $0.isEnabled })
        rig.play()
        rig.advance(milliseconds: 1000)
        let heard = rig.heard()
        #expect(heard.count == 48_000)
        #expect(differs(heard, rig.sum(ofTracks: Array(0..<8), count: 48_000)) == nil)
    }

    @Test func `all enabled tracks follow a seek to the sample`() {
        let rig = TracksRig(TracksRig.tones(3))
        for track in rig.sounds { track.isEnabled = true }
        rig.play()
        rig.advance(milliseconds: 300)
        rig.player.pause()
        rig.seek(milliseconds: 2000)
        rig.play()
        rig.advance(milliseconds: 300)
        let heard = rig.heard(milliseconds: 300)
        #expect(heard.count == 14_400)
        #expect(differs(heard, rig.sum(ofTracks: [0, 1, 2], from: 96_000, count: 14_400)) == nil)
    }

    @Test func `a track that is enabled during playback joins without a gap in the others`() {
        let rig = TracksRig(TracksRig.tones(3, seconds: 8), right: 2)
        rig.play()
        rig.advance(milliseconds: 500)
        rig.sounds[2].isEnabled = true
        rig.waitForTracks()
        rig.advance(milliseconds: 500)
        #expect(rig.item.playingTracks.audio?.id == 1)
        let (left, right) = (rig.heard(), rig.heard(channel: 1))
        #expect(left.count == 48_000)
        #expect(differs(left, rig.samples(ofTrack: 0, from: 0, count: left.count)) == nil)
        let expected = rig.samples(ofTrack: 2, from: 0, count: right.count)
        #expect(right.prefix(24_000).allSatisfy { $0 == 0 })
        #expect(differs(right.suffix(20_000), expected.suffix(20_000)) == nil)
        #expect(rig.item.state.timeJumps == 0)
    }

    @Test func `disabling and enabling a track a hundred times leaves the others unchanged`() {
        let rig = TracksRig(TracksRig.tones(3), right: 2)
        for track in rig.sounds { track.isEnabled = true }
        rig.play()
        for round in 0..<100 {
            rig.sounds[2].isEnabled = round % 2 == 1
            rig.advance(milliseconds: 20)
        }
        #expect(rig.sounds[2].isEnabled)
        let (left, right) = (rig.heard(), rig.heard(channel: 1))
        #expect(left.count == 96_000)
        #expect(differs(left, rig.sum(ofTracks: [0, 1], count: left.count)) == nil)
        // The last blocks of each round, after the ramp: silence or the track itself.
        let expected = rig.samples(ofTrack: 2, from: 0, count: right.count)
        for round in 0..<100 {
            let range = (round * 960 + 700)..<(round * 960 + 900)
            if round % 2 == 1 {
                #expect(differs(right[range], expected[range]) == nil)
            } else {
                #expect(right[range].allSatisfy { $0 == 0 })
            }
        }
    }

    @Test func `an item lasts until its longest enabled track ends`() {
        let lengths: [Int64] = [1, 2]
        let rig = TracksRig(
            lengths.map {
                SyntheticSound(.tone(300), duration: MediaTime(value: $0, timescale: 1))
            })
        rig.sounds[1].isEnabled = true
        rig.play()
        rig.advance(milliseconds: 1900)
        #expect(!rig.item.hasPlayedToEnd)
        let heard = rig.heard()
        #expect(differs(heard, rig.sum(ofTracks: [0, 1], count: heard.count)) == nil)
        rig.advance(milliseconds: 300)
        rig.item.pipeline.control.wait { $0.hasPlayedToEnd ? true : nil }
        #expect(rig.item.currentTime == MediaTime(value: 2, timescale: 1))
    }

    @Test func `the selected track can be disabled while another plays on`() {
        let rig = TracksRig(TracksRig.tones(2), right: 0)
        for track in rig.sounds { track.isEnabled = true }
        rig.play()
        rig.advance(milliseconds: 100)
        rig.sounds[0].isEnabled = false
        rig.advance(milliseconds: 200)
        #expect(rig.sounds.map(\.isEnabled) == [false, true])
        let left = rig.heard()
        #expect(differs(left, rig.samples(ofTrack: 1, from: 0, count: left.count)) == nil)
        #expect(rig.heard(channel: 1, milliseconds: 100).allSatisfy { $0 == 0 })
    }

    @Test func `selecting a track plays it alone`() throws {
        let rig = TracksRig(TracksRig.tones(3))
        for track in rig.sounds { track.isEnabled = true }
        let group = try #require(rig.item.mediaSelectionGroup(for: .audible))
        rig.item.select(group.options[1], in: group)
        #expect(rig.sounds.map(\.isEnabled) == [false, true, false])
        rig.item.pipeline.control.wait { $0.seek == nil ? true : nil }
        rig.play()
        rig.advance(milliseconds: 300)
        let heard = rig.heard()
        #expect(differs(heard, rig.samples(ofTrack: 1, from: 0, count: heard.count)) == nil)
        rig.sounds[0].isEnabled = true
        #expect(rig.sounds.map(\.isEnabled) == [true, true, false])
        rig.item.select(nil, in: group)
        #expect(rig.sounds.map(\.isEnabled) == [false, false, false])
    }

    @Test func `a track that is enabled while reading blocks, and deselected, leaves reading on`()
        throws
    {
        let gate = Monitor(true)
        var media = SyntheticMedia(sounds: TracksRig.tones(3))
        media.faults.willReadPacket = { _ in _ = gate.wait { $0 ? true : nil } }
        let rig = TracksRig(TracksRig.tones(3), asset: SyntheticAsset(media))
        gate.change { $0 = false }
        rig.item.seek(
            to: MediaTime(value: 3, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.sounds[2].isEnabled = true
        let group = try #require(rig.item.mediaSelectionGroup(for: .audible))
        rig.item.select(group.options[1], in: group)
        gate.change { $0 = true }
        rig.item.pipeline.control.wait { $0.seek == nil ? true : nil }
        rig.play()
        rig.advance(milliseconds: 200)
        let heard = rig.heard(milliseconds: 200)
        #expect(differs(heard, rig.samples(ofTrack: 1, from: 144_000, count: heard.count)) == nil)
    }

    @Test func `a track that is enabled again while the demuxer adds it is heard once`() {
        let gate = DecoderGate(track: 2)
        var media = TracksRig.media(TracksRig.tones(2))
        media.faults.willMakeDecoder = { gate.pass($0) }
        let rig = TracksRig(TracksRig.tones(2), asset: SyntheticAsset(media))
        gate.close()
        rig.sounds[1].isEnabled = true
        gate.waitUntilReached()
        rig.sounds[1].isEnabled = true
        gate.open()
        // The demuxer adds tracks before it seeks.
        rig.seek(milliseconds: 1000)
        rig.play()
        rig.advance(milliseconds: 200)
        let heard = rig.heard(milliseconds: 200)
        #expect(differs(heard, rig.sum(ofTracks: [0, 1], from: 48_000, count: 9600)) == nil)
    }

    /// A seek to a frame that has just been decoded continues with the packets in the queue.
    @Test func `a track that is selected at the end is heard after a seek`() throws {
        let rig = TracksRig(TracksRig.tones(2, seconds: 1))
        let group = try #require(rig.item.mediaSelectionGroup(for: .audible))
        rig.play()
        rig.advance(milliseconds: 1200)
        rig.item.pipeline.control.wait { $0.hasPlayedToEnd ? true : nil }
        rig.item.select(group.options[1], in: group)
        rig.seek(milliseconds: 800)
        rig.play()
        rig.advance(milliseconds: 100)
        let heard = rig.heard(milliseconds: 100)
        #expect(differs(heard, rig.samples(ofTrack: 1, from: 38_400, count: 4800)) == nil)
    }

    @Test(arguments: [1.0, -1])
    func `a track that is selected at an end is heard after it once the end has moved`(rate: Double)
        throws
    {
        let rig = TracksRig(TracksRig.tones(2))
        let group = try #require(rig.item.mediaSelectionGroup(for: .audible))
        rig.seek(milliseconds: 2000)
        rig.item.forwardPlaybackEndTime = MediaTime(value: 5, timescale: 2)
        rig.item.reversePlaybackEndTime = MediaTime(value: 3, timescale: 2)
        rig.player.rate = rate
        rig.item.pipeline.control.wait { $0.isRunning ? true : nil }
        rig.advance(milliseconds: 700)
        rig.item.pipeline.control.wait { $0.hasPlayedToEnd ? true : nil }
        rig.item.select(group.options[1], in: group)
        rig.item.forwardPlaybackEndTime = .invalid
        rig.item.reversePlaybackEndTime = .invalid
        rig.player.rate = rate
        rig.item.pipeline.control.wait { $0.isRunning && $0.seek == nil ? true : nil }
        rig.advance(milliseconds: 300)
        let heard = rig.heard(milliseconds: 300)
        #expect(heard.count == 14_400)
        let first = rate > 0 ? 120_000 : 72_000 - heard.count
        let expected = rig.samples(ofTrack: 1, from: first, count: heard.count)
        #expect(differs(heard, rate > 0 ? expected : expected.reversed()) == nil)
    }

    @Test func `a track without audio for long does not hold the others up`() {
        let brief = MediaTime(value: 1, timescale: 10)
        let rig = TracksRig([
            SyntheticSound(.tone(300), duration: MediaTime(value: 40, timescale: 1)),
            SyntheticSound(.tone(400), duration: brief),
        ])
        rig.sounds[1].isEnabled = true
        rig.play()
        rig.advance(milliseconds: 400)
        let heard = rig.heard()
        #expect(differs(heard, rig.sum(ofTracks: [0, 1], count: heard.count)) == nil)
        let target = MediaTime(value: 20, timescale: 1)
        rig.item.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero)
        rig.item.pipeline.control.wait { $0.seek == nil && $0.isRunning ? true : nil }
        rig.advance(milliseconds: 100)
        #expect(rig.item.currentTime == target + brief - rig.sink.latency)
    }

    @Test func `a track that is selected in reverse is heard by its own mix`() throws {
        let rig = TracksRig(TracksRig.tones(2), right: 1)
        let group = try #require(rig.item.mediaSelectionGroup(for: .audible))
        rig.player.rate = -1
        rig.item.pipeline.control.wait { $0.hasPlayedToEnd ? true : nil }
        rig.item.select(group.options[1], in: group)
        rig.play()
        rig.advance(milliseconds: 200)
        let right = rig.heard(channel: 1)
        #expect(differs(right, rig.samples(ofTrack: 1, from: 0, count: right.count)) == nil)
    }

    @Test func `enabled tracks are heard backwards, and another selected one from then on`() throws
    {
        let rig = TracksRig(TracksRig.tones(4))
        rig.sounds[2].isEnabled = true
        rig.seek(milliseconds: 3000)
        rig.waitForTracks()
        func play() {
            rig.player.rate = -1
            rig.item.pipeline.control.wait {
                $0.isRunning && $0.direction == .reverse ? true : nil
            }
        }
        /// The frames that have been heard since the timeline started at a frame.
        func heard(since frame: Int) throws -> [Float] {
            let time = MediaTime(value: Int64(frame), timescale: Int32(TracksRig.rate))
            let run = try #require(rig.sink.runs.last)
            let start = try #require(rig.item.timebase.hostTime(at: time))
            let lead = (start - MediaTime(nanoseconds: run.clockTime))
                .converted(toTimescale: Int32(TracksRig.rate)).value
            let left = stride(from: 0, to: run.samples.count, by: 2).map { run.samples[$0] }
            return Array(left.dropFirst(Int(lead)))
        }
        play()
        rig.advance(milliseconds: 500)
        let both = try heard(since: 144_000)
        #expect(both.count >= 22_000)
        let sum = rig.sum(ofTracks: [0, 2], from: 144_000 - both.count, count: both.count)
        #expect(differs(both, sum.reversed()) == nil)

        let group = try #require(rig.item.mediaSelectionGroup(for: .audible))
        let place = rig.item.currentTime.converted(toTimescale: Int32(TracksRig.rate)).value
        rig.item.select(group.options[3], in: group)
        #expect(rig.item.currentTime >= MediaTime(value: 2, timescale: 1))
        play()
        rig.advance(milliseconds: 300)
        let other = try heard(since: Int(place))
        #expect(other.count >= 12_000)
        let samples = rig.samples(
            ofTrack: 3, from: Int(place) - other.count, count: other.count)
        #expect(differs(other, samples.reversed()) == nil)
    }

    @Test func `a copy of an item enables the same tracks`() {
        let rig = TracksRig(TracksRig.tones(3))
        rig.sounds[2].isEnabled = true
        let copy = PlayerItem(copying: rig.item)
        let player = Player(
            playerItem: copy, audioSink: CaptureAudioSink(clock: ManualClock()))
        copy.pipeline.control.wait { $0.hasVideo ? true : nil }
        #expect(copy.tracks.map(\.isEnabled) == [true, true, false, true])
        withExtendedLifetime(player) {}
    }

    @Test func `each enabled track is processed by its own tap`() {
        let taps = (0..<2).map { _ in AudioLevelMeterTap() }
        let rig = TracksRig(TracksRig.tones(2))
        rig.item.audioMix = AudioMix(
            inputParameters: taps.enumerated().map { index, tap in
                var parameters = AudioMixInputParameters(trackID: index + 1)
                parameters.taps = [tap]
                return parameters
            })
        for track in rig.sounds { track.isEnabled = true }
        rig.play()
        rig.advance(milliseconds: 200)
        for tap in taps { #expect(tap.statistics.processedFrames > 0) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

@Suite struct ItemTrackTests {
    private static let duration = MediaTime(value: 4, timescale: 1)

    /// A video with audio in two languages: in one of them the samples are their own numbers, and
    /// the other is a tone.
    private static let media: SyntheticMedia = {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
            sounds: [
                SyntheticSound(.tone(440), duration: duration, languageTag: "en"),
                SyntheticSound(.sampleNumbers, duration: duration, languageTag: "de"),
            ])
        media.keyframeInterval = 15
        return media
    }()

    private struct TrackRig {
        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let sink: CaptureAudioSink
        let item = PlayerItem(asset: SyntheticAsset(ItemTrackTests.media))
        let output = PlayerItemVideoOutput()
        let player: Player

        init() {
            sink = CaptureAudioSink(clock: clock)
            item.add(output)
            player = Player(playerItem: item, audioSink: sink)
            item.pipeline.control.wait { $0.hasVideo ? true : nil }
        }

        func play() {
            player.play()
            item.pipeline.control.wait { $0.isRunning ? true : nil }
        }

        func advance(milliseconds: Int64) {
            sink.advance(milliseconds: milliseconds, on: clock, playing: item)
        }

        /// Returns the left samples that were played last.
        func heard(milliseconds: Int) -> [Float] {
            let samples = sink.samples
            let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            return Array(left.suffix(48 * milliseconds))
        }

        func select(_ language: String) {
            guard let group = item.mediaSelectionGroup(for: .audible) else { return }
            let track = item.tracks.first { $0.assetTrack.languageTag == language }
            item.select(group.options.first { $0.id == track?.assetTrack.id }, in: group)
        }
    }

    @Test func `tracks are available when the item is ready, with their state`() {
        #expect(PlayerItem(asset: SyntheticAsset(Self.media)).tracks.isEmpty)
        let rig = TrackRig()
        #expect(rig.item.tracks.map(\.isEnabled) == [true, true, false])
        #expect(rig.item.tracks.map(\.assetTrack.mediaType) == [.video, .audio, .audio])
    }

    @Test func `an audio track chosen before the item is open plays`()
        async throws
    {
        let loaded = try await SyntheticAsset(Self.media).load(.mediaSelectionGroup(for: .audible))
        let group = try #require(loaded)
        for isOpening in [false, true] {
            let gate = OpeningGate(isOpen: !isOpening)
            let item = PlayerItem(gate.before(Self.media))
            let player = Player(audioSink: CaptureAudioSink(clock: ManualClock()))
            if isOpening { player.replaceCurrentItem(with: item) }
            item.select(group.options[1], in: group)
            #expect(item.selectedMediaOption(in: group) == group.options[1])
            gate.open()
            if !isOpening { player.replaceCurrentItem(with: item) }
            item.pipeline.control.wait { $0.hasVideo ? true : nil }
            #expect(item.tracks.map(\.isEnabled) == [true, false, true])
            #expect(item.selectedMediaOption(in: group) == group.options[1])
            #expect(PlayerItem(copying: item).selectedMediaOption(in: group) == group.options[1])
        }
    }

    @Test func `silence can be selected before the item has a player, and reverted`() async throws {
        let item = PlayerItem(asset: SyntheticAsset(Self.media))
        let loaded = try await item.asset.load(.mediaSelectionGroup(for: .audible))
        let group = try #require(loaded)
        item.select(nil, in: group)
        #expect(item.selectedMediaOption(in: group) == nil)
        let player = Player(
            playerItem: item, audioSink: CaptureAudioSink(clock: ManualClock()))
        item.pipeline.control.wait { $0.hasVideo ? true : nil }
        #expect(item.tracks.map(\.isEnabled) == [true, false, false])
        item.select(group.options[0], in: group)
        #expect(item.tracks.map(\.isEnabled) == [true, true, false])
        let pictures = try #require(item.mediaSelectionGroup(for: .visual))
        item.select(nil, in: pictures)
        #expect(item.selectedMediaOption(in: pictures) == nil)
        item.select(pictures.options[0], in: pictures)
        #expect(item.tracks.map(\.isEnabled) == [true, true, false])
        #expect(player.currentItem === item)
    }

    @Test func `a disabled video track has no frames, and resumes at once`() {
        let rig = TrackRig()
        rig.play()
        rig.advance(milliseconds: 200)
        rig.item.tracks[0].isEnabled = false
        #expect(!rig.item.tracks[0].isEnabled)
        #expect(rig.item.presentationSize == .zero)
        #expect(!rig.output.hasNewPixelBuffer(forItemTime: rig.item.currentTime))
        #expect(rig.output.copyPixelBuffer(forItemTime: rig.item.currentTime) == nil)
        rig.advance(milliseconds: 200)
        #expect(rig.heard(milliseconds: 50).contains { $0 != 0 })
        rig.item.tracks[0].isEnabled = true
        #expect(rig.item.presentationSize == PresentationSize(width: 320, height: 180))
        let time = rig.item.currentTime
        _ = rig.output.waitForPixelBuffer(after: time)
        #expect(rig.output.hasNewPixelBuffer(forItemTime: time))
        let picture = rig.output.copyPixelBuffer(forItemTime: time)
        #expect(
            picture.flatMap { FrameNumberStrip.read(from: $0.0) }
                == Self.media.frameTimes?.index(at: time + FrameQueue.tolerance))
    }

    @Test func `a disabled audio track is silent, and the timeline continues`() {
        let rig = TrackRig()
        rig.play()
        rig.advance(milliseconds: 300)
        #expect(rig.heard(milliseconds: 50).contains { $0 != 0 })
        rig.item.tracks[1].isEnabled = false
        let before = rig.item.currentTime
        rig.advance(milliseconds: 300)
        #expect(rig.heard(milliseconds: 200).allSatisfy { $0 == 0 })
        #expect(rig.item.currentTime == before + MediaTime(value: 300, timescale: 1000))
        rig.item.tracks[1].isEnabled = true
        rig.advance(milliseconds: 100)
        #expect(rig.heard(milliseconds: 20).contains { $0 != 0 })
    }

    @Test func `another audio track continues at the playhead, to the sample`() {
        let rig = TrackRig()
        rig.play()
        rig.advance(milliseconds: 500)
        rig.select("de")
        #expect(rig.item.tracks.map(\.isEnabled) == [true, false, true])
        #expect(rig.item.playingTracks.audio?.languageTag == "de")
        rig.item.pipeline.control.wait { $0.seek == nil ? true : nil }
        let before = rig.item.currentTime
        rig.advance(milliseconds: 500)
        #expect(rig.item.currentTime == before + MediaTime(value: 1, timescale: 2))
        // The samples that play now contain their position: that of the playhead.
        let last = rig.heard(milliseconds: 100).map { Int(($0 * Float(1 << 22)).rounded()) }
        #expect(last.last == 47_999)
        #expect(zip(last, last.dropFirst()).allSatisfy { $0 + 1 == $1 })
        #expect(rig.player.timeControlStatus == .playing)
    }

    @Test func `another audio track can be selected while paused and seeking`() {
        let rig = TrackRig()
        rig.select("de")
        rig.item.pipeline.control.wait { $0.seek == nil ? true : nil }
        #expect(rig.item.currentTime == .zero)
        rig.item.seek(
            to: MediaTime(value: 2, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.select("en")
        rig.select("de")
        rig.item.pipeline.control.wait { $0.seek == nil ? true : nil }
        #expect(rig.item.currentTime == MediaTime(value: 2, timescale: 1))
        rig.play()
        rig.advance(milliseconds: 200)
        let last = rig.heard(milliseconds: 50).map { Int(($0 * Float(1 << 22)).rounded()) }
        #expect(last.last == 2 * 48_000 + 9_599)
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadPlayback

/// A tap that counts, and whose count can be read from any thread.
private final class CountingTap: AudioProcessingTap, @unchecked Sendable {
    let preparations = Atomic(0)
    let unpreparations = Atomic(0)

    override func prepare(maxFrames: Int, format: AudioFormat) {
        preparations.add(1, ordering: .sequentiallyConsistent)
    }

    override func unprepare() { unpreparations.add(1, ordering: .sequentiallyConsistent) }
}

@Suite struct AudioMixPlaybackTests {
    private static func item(tracks: Int = 1) -> PlayerItem {
        let duration = MediaTime(value: 2, timescale: 1)
        return PlayerItem(
            asset: SyntheticAsset(
                SyntheticMedia(
                    frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
                    sounds: (0..<tracks).map { _ in
                        SyntheticSound(.sampleNumbers, duration: duration)
                    })))
    }

    private static func mix(_ taps: [AudioProcessingTap], track: Int? = nil) -> AudioMix {
        var parameters = AudioMixInputParameters(trackID: track)
        parameters.taps = taps
        return AudioMix(inputParameters: [parameters])
    }

    /// Plays for a tenth of a second.
    private static func play(_ player: Player, _ item: PlayerItem, _ sink: NullAudioSink) {
        player.play()
        item.pipeline.control.wait { $0.isRunning ? true : nil }
        guard let clock = sink.clock as? ManualClock else { return }
        sink.advance(to: clock.time + MediaTime(value: 100, timescale: 1000))
    }

    @Test func `an item's mix applies from its first sample`() {
        let clock = ManualClock()
        let sink = NullAudioSink(clock: clock)
        let item = Self.item()
        let tap = CountingTap()
        item.audioMix = Self.mix([tap])
        let player = Player(playerItem: item, audioSink: sink)
        Self.play(player, item, sink)
        let delivered = item.pipeline.control.withLock {
            $0.renderer?.statistics.deliveredFrames
        }
        #expect(tap.statistics.processedFrames > 0)
        // A busy machine may make a tap late, which is then bypassed.
        #expect(tap.statistics.processedFrames + tap.statistics.bypassedFrames == delivered)
    }

    @Test func `a mix can be set and removed during playback`() {
        let clock = ManualClock()
        let sink = NullAudioSink(clock: clock)
        let item = Self.item()
        let tap = CountingTap()
        let player = Player(playerItem: item, audioSink: sink)
        Self.play(player, item, sink)
        item.audioMix = Self.mix([tap])
        sink.advance(to: clock.time + MediaTime(value: 100, timescale: 1000))
        #expect(tap.statistics.processedFrames > 0)
        item.audioMix = nil
        #expect(tap.unpreparations.load(ordering: .relaxed) == 1)
        #expect(item.audioMix == nil)
    }

    @Test func `taps are released with the item`() {
        let tap = CountingTap()
        do {
            let sink = NullAudioSink(clock: ManualClock())
            let item = Self.item()
            item.audioMix = Self.mix([tap])
            let player = Player(playerItem: item, audioSink: sink)
            Self.play(player, item, sink)
            player.replaceCurrentItem(with: nil)
        }
        #expect(tap.preparations.load(ordering: .relaxed) == 1)
        #expect(tap.unpreparations.load(ordering: .relaxed) == 1)
    }

    @Test func `parameters follow the selected track`() async throws {
        let sink = NullAudioSink(clock: ManualClock())
        let item = Self.item(tracks: 2)
        let taps = [CountingTap(), CountingTap()]
        let player = Player(playerItem: item, audioSink: sink)
        try await item.waitUntilReady()
        let sounds = item.tracks.filter { $0.assetTrack.mediaType == .audio }
        item.audioMix = AudioMix(
            inputParameters: zip(sounds, taps).flatMap {
                Self.mix([$1], track: $0.assetTrack.id).inputParameters
            })
        #expect(taps.map { $0.preparations.load(ordering: .relaxed) } == [1, 0])
        let group = try #require(item.mediaSelectionGroup(for: .audible))
        item.select(group.options[1], in: group)
        #expect(taps.map { $0.preparations.load(ordering: .relaxed) } == [1, 1])
        #expect(taps.map { $0.unpreparations.load(ordering: .relaxed) } == [1, 0])
        withExtendedLifetime(player) {}
    }
}

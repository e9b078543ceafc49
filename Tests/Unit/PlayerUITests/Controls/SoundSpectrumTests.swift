// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadPlayback
import PlayheadTime
import Testing

@testable import PlayheadPlayerUI

/// The spectrum of a tone: a bar at its frequency, for the audio that plays at that moment.
@Suite @MainActor struct SoundSpectrumTests {
    @Test func `a tone raises the bar of its frequency, and silence lets it fall`() async throws {
        let tone = 1000.0
        let sound = SyntheticSound(.tone(tone), duration: MediaTime(value: 6000, timescale: 1))
        let item = PlayerItem(
            asset: SyntheticAsset(SyntheticMedia(frameTimes: nil, sounds: [sound])))
        let spectrum = SoundSpectrum(item)
        #expect(!spectrum.isHearing, "there is no player yet")
        let clock = ManualClock()
        let sink = NullAudioSink(clock: clock)
        let player = Player(playerItem: item, audioSink: sink, masterClock: clock)
        try await item.waitUntilReady()
        player.play()
        while player.timeControlStatus != .playing { await Task.yield() }
        // The decoder may be behind a manual clock: continues until some audio has been played.
        let block = MediaTime(value: 1, timescale: 100)
        while spectrum.levels.allSatisfy({ $0 < 0.7 }), item.currentTime.seconds < 5000 {
            sink.advance(to: clock.time + block)
            spectrum.look(at: item.currentTime - block * Int32(10))
            await Task.yield()
        }
        #expect(spectrum.isHearing)
        let loudest = try #require(
            spectrum.levels.indices.max { spectrum.levels[$0] < spectrum.levels[$1] })
        #expect(SoundSpectrum.frequency(atBar: loudest) <= tone * 1.05)
        #expect(SoundSpectrum.frequency(atBar: loudest + 1) >= tone * 0.95)
        #expect(spectrum.levels[loudest] > 0.7)
        // A time without audio.
        for _ in 0..<100 { spectrum.look(at: MediaTime(value: 9000, timescale: 1)) }
        #expect(spectrum.levels.allSatisfy { $0 == 0 })
    }

    @Test func `a copy of an item brings its listener along`() {
        let item = PlayerItem(asset: SyntheticAsset(SyntheticMedia()))
        _ = SoundSpectrum(item)
        _ = SoundSpectrum(item)
        #expect(item.audioMix?.inputParameters.flatMap(\.taps).count == 1)
    }
}

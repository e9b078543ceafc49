// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The selection of audio tracks during reverse playback, with a device that records samples.
@Suite struct ReverseSelectionTests {
    private static let sampleRate = 48_000
    /// The longest time for which a change of the volume or of the mix is smoothed, in samples.
    private static let smoothedCount = 1440

    /// Returns a video with three audio tracks, whose samples are their own numbers.
    private static func media(seconds: Int64) -> SyntheticMedia {
        let duration = MediaTime(value: seconds, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
            sounds: Array(repeating: SyntheticSound(.sampleNumbers, duration: duration), count: 3))
        media.keyframeInterval = 60
        return media
    }

    private struct Rig {
        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let sink: CaptureAudioSink
        let item: PlayerItem
        let player: Player
        let group: MediaSelectionGroup

        /// Creates a rig whose tracks have different volumes.
        init(_ media: SyntheticMedia, milliseconds: Int64) throws {
            item = PlayerItem(asset: SyntheticAsset(media))
            item.audioMix = AudioMix(
                inputParameters: media.sounds.indices.map { index in
                    var parameters = AudioMixInputParameters(trackID: media.trackID(ofSound: index))
                    parameters.setVolume(Float(ReverseSelectionTests.volume(ofTrack: index)))
                    return parameters
                })
            sink = CaptureAudioSink(clock: clock)
            player = Player(playerItem: item, audioSink: sink)
            item.pipeline.control.wait { $0.transport.tracks.isReady ? true : nil }
            group = try #require(item.mediaSelectionGroup(for: .audible))
            seek(milliseconds: milliseconds)
        }

        func seek(milliseconds: Int64) {
            item.seek(
                to: MediaTime(value: milliseconds, timescale: 1000), toleranceBefore: .zero,
                toleranceAfter: .zero)
            item.pipeline.control.wait { $0.seek == nil ? true : nil }
        }

        func play(rate: Double) {
            player.rate = rate
            waitUntilRunning(rate)
        }

        func waitUntilRunning(_ rate: Double) {
            let direction = PlaybackDirection(rate: rate)
            item.pipeline.control.wait {
                $0.isRunning && $0.direction == direction && $0.seek == nil ? true : nil
            }
        }

        func advance(milliseconds: Int64) {
            sink.advance(milliseconds: milliseconds, on: clock, playing: item)
        }

        func select(_ track: Int?) { item.select(track.map { group.options[$0] }, in: group) }

        /// Waits until the audio of the selected track has been decoded to its beginning.
        func waitForBeginning() throws {
            try eventually("the audio to be decoded to its beginning") {
                item.pipeline.audioLane.map { item.pipeline.packets.isDry(lane: $0) } ?? false
            }
        }

        /// Advances until playback has ended at the beginning.
        func playToBeginning() {
            while !item.hasPlayedToEnd {
                advance(milliseconds: 10)
                guard item.currentTime <= .zero else { continue }
                item.pipeline.control.wait { $0.hasPlayedToEnd ? true : nil }
            }
        }

        /// The sample at the playhead.
        var place: Int {
            let time = item.currentTime
            return Int(time.converted(toTimescale: Int32(ReverseSelectionTests.sampleRate)).value)
        }

        /// The number of samples that the device takes before they are heard.
        var takenCount: Int {
            Int(sink.latency.converted(toTimescale: Int32(ReverseSelectionTests.sampleRate)).value)
        }

        /// The numbers of the samples that were heard last, as those of a track.
        func numbers(ofTrack track: Int) -> [Double] {
            let samples = sink.runs.last?.samples ?? []
            let scale = Double(1 << 22) / ReverseSelectionTests.volume(ofTrack: track)
            let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            let end = left.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
            return left[..<end].map { Double($0) * scale }
        }

        /// Returns the first sample that was not heard when it was due, from a sample of a track
        /// down to the first one that is not zero; nil if all were heard.
        func firstDifference(in track: Int, from first: Int) -> Int? {
            let expected = (1...first).reversed()
            let numbers = numbers(ofTrack: track).suffix(first)
            return numbers.count < first
                ? first : zip(expected, numbers).first { Double($0) != $1 }?.0
        }
    }

    private static func volume(ofTrack track: Int) -> Double { 1 / Double(2 << track) }

    /// A state of playback in which another audio track is selected.
    enum Situation: CaseIterable {
        case playing, paused, stepped, silent, silentFromTheBeginning, seeking, inaudible, faster
        case twice, returned, withFurther, furtherItself
    }

    /// Selects tracks in a situation; the second one in the end.
    private func select(in situation: Situation, _ rig: Rig) {
        switch situation {
        case .playing:
            rig.play(rate: -1)
            rig.select(1)
        case .paused:
            rig.play(rate: -1)
            rig.advance(milliseconds: 50)
            rig.player.pause()
            rig.select(1)
        case .stepped:
            rig.play(rate: -1)
            rig.player.pause()
            for count in [-9, 4] { rig.item.step(byCount: count) }
            rig.item.pipeline.control.wait { $0.steps.isEmpty && $0.seek == nil ? true : nil }
            rig.player.rate = -1
            rig.select(1)
        case .silent:
            rig.play(rate: -1)
            rig.select(nil)
            rig.advance(milliseconds: 50)
            rig.select(1)
        case .silentFromTheBeginning:
            rig.select(nil)
            for count in [-9, 4] { rig.item.step(byCount: count) }
            rig.item.pipeline.control.wait { $0.steps.isEmpty && $0.seek == nil ? true : nil }
            rig.play(rate: -1)
            rig.select(1)
        case .seeking:
            rig.play(rate: -1)
            rig.item.seek(
                to: MediaTime(value: 7, timescale: 2), toleranceBefore: .zero,
                toleranceAfter: .zero)
            rig.select(1)
        case .inaudible:
            rig.play(rate: -8)
            rig.select(1)
        case .faster:
            rig.play(rate: -2)
            rig.select(1)
        case .twice:
            rig.play(rate: -1)
            rig.select(2)
            rig.select(1)
        case .returned:
            rig.select(1)
            rig.play(rate: -1)
            rig.select(0)
            rig.waitUntilRunning(-1)
            rig.select(1)
        case .withFurther:
            rig.item.tracks[3].isEnabled = true
            rig.play(rate: -1)
            rig.select(1)
        case .furtherItself:
            rig.item.tracks[2].isEnabled = true
            rig.play(rate: -1)
            rig.select(1)
        }
    }

    @Test(arguments: Situation.allCases)
    func `a track that is selected in reverse is heard to the beginning`(situation: Situation)
        throws
    {
        let rig = try Rig(Self.media(seconds: 4), milliseconds: 3900)
        select(in: situation, rig)
        rig.play(rate: -1)
        let last = rig.place - Self.smoothedCount
        #expect(last > Self.sampleRate)
        rig.playToBeginning()
        #expect(rig.firstDifference(in: 1, from: last) == nil)
        let statistics = rig.item.pipeline.control.withLock { $0.renderer?.statistics }
        #expect(statistics?.underruns == 0 && statistics?.skippedFrames == 0)
    }

    @Test func `a track that is deselected and selected again in reverse continues`() throws {
        let rig = try Rig(Self.media(seconds: 4), milliseconds: 3900)
        rig.select(1)
        rig.play(rate: -1)
        rig.select(nil)
        rig.advance(milliseconds: 100)
        #expect(rig.numbers(ofTrack: 1) == [])
        rig.select(1)
        let last = rig.place - Self.smoothedCount - rig.takenCount
        rig.playToBeginning()
        #expect(rig.firstDifference(in: 1, from: last) == nil)
    }

    /// The timeline may start before the threads of the tracks that no longer play have ended.
    @Test(arguments: [-1.0, 1])
    func `the tracks that a selection ends are silent at once`(rate: Double) throws {
        let rig = try Rig(Self.media(seconds: 4), milliseconds: 2000)
        rig.item.tracks[3].isEnabled = true
        let pipeline = rig.item.pipeline
        pipeline.control.wait { $0.further.feeds.isEmpty ? nil : true }
        rig.play(rate: rate)
        rig.advance(milliseconds: 50)
        let (_, after) = pipeline.perform(.chooseAudio(rig.item.tracks[2].assetTrack.id))
        let ended = pipeline.control.withLock { $0.further.ended }
        #expect(ended.count == 1)
        for feed in ended {
            var isRunning = false
            if case .running = feed.renderer.sink.status { isRunning = true }
            #expect(!isRunning)
        }
        pipeline.perform(after)
        pipeline.disposeOfEndedAudio()
    }

    /// A track that is read twice is silent in between.
    @Test(arguments: [false, true])
    func `a track that is selected in reverse is read once`(isPlaying: Bool) throws {
        let seekCount = Monitor(0)
        var media = Self.media(seconds: 2)
        media.frameTimes = nil
        media.faults.willSeek = { seekCount.change { $0 += 1 } }
        let rig = try Rig(media, milliseconds: 1900)
        func seeks(_ body: () -> Void) throws -> Int {
            let before = seekCount.withLock { $0 }
            body()
            try rig.waitForBeginning()
            return seekCount.withLock { $0 } - before
        }
        let count = try seeks { rig.play(rate: -1) }
        #expect(count > 0)
        if !isPlaying { rig.player.pause() }
        for track in [1, 2, 0] { #expect(try seeks { rig.select(track) } == count) }
    }
}

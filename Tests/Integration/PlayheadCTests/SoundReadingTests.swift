// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadEffects
import PlayheadPlayback
import PlayheadThreads
import PlayheadTime
import RealTimeTestSupport
import Synchronization
import Testing

@testable import PlayheadC

/// Cases that the thread of a host's mixer encounters.
@Suite("Pulled audio")
struct SoundReadingTests {
    private static let frames = 480

    /// Returns a player of pulled audio with an open tone, which is so long that tests that tick
    /// the clock until they hear it do not reach its end.
    private static func playing() throws -> (HostRig, HostedPlayer) {
        let rig = try HostRig(sound: PLAYHEAD_AUDIO_PULL)
        let hosted = try #require(
            HandleTable.shared.object(rig.player, .player, as: HostedPlayer.self))
        let sound = SyntheticSound(duration: MediaTime(value: 3600, timescale: 1))
        try hosted.open(SyntheticAsset(SyntheticMedia(frameTimes: nil, sounds: [sound])))
        let item = try hosted.film().item
        try eventually("the video") { item.status == .readyToPlay }
        try check(playhead_play(rig.player))
        return (rig, hosted)
    }

    private static func read(
        _ player: OpaquePointer?, _ samples: inout [Float]
    ) -> playhead_status {
        playhead_read_audio(player, &samples, UInt32(samples.count / 2), 0)
    }

    @Test func `a mixer reads the audio without allocations and system calls`() throws {
        let (rig, hosted) = try Self.playing()
        let violations = RealTimeViolations()
        var samples = [Float](repeating: 0, count: 2 * Self.frames)
        var hasSound = false
        try eventually("audio") {
            _ = playhead_tick(rig.player, 10_000_000)
            for _ in 0..<2 {
                violations.watch { _ = Self.read(rig.player, &samples) }
                hasSound = hasSound || samples.contains { $0 != 0 }
            }
            return hasSound
        }
        withExtendedLifetime(hosted) {}
        #expect(violations.isClean, "\(violations.description)")
    }

    @Test func `audio inputs of effects receive the audio of the open media`() throws {
        let (rig, hosted) = try Self.playing()
        let item = try hosted.film().item
        #expect(item.audioMix == nil)
        var effect: OpaquePointer?
        try check(playhead_effect_add(rig.player, "spectrum", &effect))
        let instance = try #require(hosted.control.withLock { $0.instances.first })
        let heard = try #require(instance.sound)
        var samples = [Float](repeating: 0, count: 2 * Self.frames)
        var waveform = [Float](repeating: 0, count: 64)
        try eventually("audio") {
            _ = playhead_tick(rig.player, 10_000_000)
            _ = Self.read(rig.player, &samples)
            let time = item.currentTime
            return waveform.withUnsafeMutableBufferPointer {
                heard.copyWaveform(into: $0, channel: nil, at: time)
            } && waveform.contains { $0 != 0 }
        }
        try hosted.open(item.asset)
        #expect(instance.sound != nil && instance.sound !== heard)
        let next = try hosted.film().item
        #expect(next.audioMix != nil)
        try check(playhead_effect_remove(effect))
        #expect(next.audioMix == nil)
    }

    /// Returns a player of pulled audio with an open video whose samples are numbered.
    private static func numbered(
        _ frames: SyntheticFrameTimes?,
        willReadPacket: (@Sendable (Int) throws(MediaError) -> Void)? = nil
    ) throws -> (HostRig, HostedPlayer) {
        let rig = try HostRig(sound: PLAYHEAD_AUDIO_PULL)
        let hosted = try #require(
            HandleTable.shared.object(rig.player, .player, as: HostedPlayer.self))
        let sound = SyntheticSound(.sampleNumbers, duration: MediaTime(value: 3, timescale: 1))
        var media = SyntheticMedia(frameTimes: frames, sounds: [sound])
        media.faults.willReadPacket = willReadPacket
        try hosted.open(SyntheticAsset(media))
        return (rig, hosted)
    }

    @Test(arguments: [true, false])
    func `fast offline rendering waits for audio and loses none`(
        hasPictures: Bool
    ) throws {
        let frames = SyntheticFrameTimes(
            framesPerSecond: 25, duration: MediaTime(value: 3, timescale: 1))
        let (rig, hosted) = try Self.numbered(hasPictures ? frames : nil)
        try check(playhead_play(rig.player))
        var heard: [Float] = []
        for _ in 0..<70 {
            var samples = [Float](repeating: 0, count: 2 * 1920)
            try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
            try check(Self.read(rig.player, &samples))
            heard += samples
            try check(playhead_tick(rig.player, HostRig.frameDuration))
        }
        withExtendedLifetime(hosted) {}
        // From the first sample on, except the few in which the volume is ramped.
        let expected = (0..<heard.count).map { Float($0 / 2) / 4_194_304 }
        let wrong = zip(heard, expected).dropFirst(2 * 480).count { abs($0 - $1) > 1e-6 }
        #expect(wrong == 0, "of \(heard.count)")
    }

    /// AAC begins with a packet before 0. MP3 begins after 0, by the delay of its encoder.
    @Test(
        .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
        arguments: [("aac", "m4a"), ("libmp3lame", "mp3")])
    func `each round of a file of audio alone is heard from its first sample`(
        codec: String, container: String
    ) throws {
        let folder = TemporaryFolder()
        let file = folder.appending("tone.\(container)").path
        let tone = "0.7*sin(2*PI*400*t)"
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
            "aevalsrc=\(tone)|\(tone):s=48000:d=1", "-c:a", codec, file,
        ])
        let rig = try HostRig(sound: PLAYHEAD_AUDIO_PULL)
        try check(
            playhead_set_audio(rig.player, playhead_audio_mode(PLAYHEAD_AUDIO_PULL), 48_000, 2))
        try rig.open(file)
        try check(playhead_set_loop(rig.player, -1, 0, Int64.min))
        try check(playhead_play(rig.player))
        var heard: [Float] = []
        for _ in 0..<60 {
            var samples = [Float](repeating: 0, count: 2 * 1920)
            try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
            try check(Self.read(rig.player, &samples))
            heard += samples
            try check(playhead_tick(rig.player, HostRig.frameDuration))
        }
        // Two and a half periods; from the first on, except the few in which the volume is ramped.
        let quiet = stride(from: 960, to: heard.count - 599, by: 600).filter { start in
            let part = heard[start..<start + 600]
            return part.reduce(0) { $0 + $1 * $1 } / 600 < 0.16
        }
        #expect(quiet.map { Double($0) / 96_000 } == [])
    }

    @Test func `audio that ends before the video is not awaited`() throws {
        let rig = try HostRig(sound: PLAYHEAD_AUDIO_PULL)
        let hosted = try #require(
            HandleTable.shared.object(rig.player, .player, as: HostedPlayer.self))
        let frames = SyntheticFrameTimes(
            framesPerSecond: 25, duration: MediaTime(value: 60, timescale: 1))
        let sound = SyntheticSound(duration: MediaTime(value: 1, timescale: 1))
        try hosted.open(SyntheticAsset(SyntheticMedia(frameTimes: frames, sounds: [sound])))
        try check(playhead_play(rig.player))
        for _ in 0..<50 {
            let began = HostClock.nanoseconds
            try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
            #expect(HostClock.nanoseconds - began < 120_000_000_000)
            try check(playhead_tick(rig.player, HostRig.frameDuration))
        }
    }

    @Test func `late audio is awaited until the deadline`() throws {
        // A third of a second; playback starts after a fifth.
        let limit = Monitor(15)
        let (rig, hosted) = try Self.numbered(nil) { number throws(MediaError) in
            _ = limit.wait { number < $0 ? true : nil }
        }
        try check(playhead_play(rig.player))
        let item = try hosted.film().item
        try eventually("the start") { item.state.isPlaying }
        let began = HostClock.nanoseconds
        let empty = playhead_status(PLAYHEAD_EMPTY)
        #expect(playhead_wait_for_frame(rig.player, 20_000_000, nil) == empty)
        #expect(HostClock.nanoseconds - began >= 20_000_000)
        limit.change { $0 = .max }
        #expect(playhead_wait_for_frame(rig.player, 120_000_000_000, nil) == empty)
        #expect(item.queueDepths.sound >= MediaTime(value: 1, timescale: 2))
    }

    @Test func `a mixer does not wait for threads that hold the player`() throws {
        let (rig, hosted) = try Self.playing()
        let player = UInt(bitPattern: rig.player)
        let isDone = Monitor(false)
        let thread = hosted.control.withLock { _ in
            let thread = WorkerThread(name: "mixer") {
                var samples = [Float](repeating: 1, count: 2 * Self.frames)
                let status = Self.read(OpaquePointer(bitPattern: player), &samples)
                isDone.change { $0 = status == PLAYHEAD_OK }
            }
            let waited: Void? = isDone.wait(nanoseconds: 120_000_000_000) { $0 ? () : nil }
            #expect(waited != nil)
            return thread
        }
        thread.join()
    }

    @Test func `pulled audio changes with the device and ends with the player`() throws {
        var rig: HostRig? = try HostRig(sound: PLAYHEAD_AUDIO_NONE)
        let player = rig?.player
        var samples = [Float](repeating: 1, count: 2 * Self.frames)
        #expect(Self.read(player, &samples) == PLAYHEAD_WRONG_STATE)
        #expect(samples.allSatisfy { $0 == 0 })
        try check(playhead_set_audio(player, playhead_audio_mode(PLAYHEAD_AUDIO_PULL), 0, 0))
        #expect(Self.read(player, &samples) == PLAYHEAD_OK)
        // One channel: only that many samples are written.
        try check(playhead_set_audio(player, playhead_audio_mode(PLAYHEAD_AUDIO_PULL), 0, 1))
        samples = samples.map { _ in 1 }
        #expect(Self.read(player, &samples) == PLAYHEAD_OK)
        #expect(samples.prefix(Self.frames).allSatisfy { $0 == 0 } && samples.last == 1)
        rig = nil
        #expect(Self.read(player, &samples) == PLAYHEAD_INVALID_HANDLE)
    }

    /// A player is removed from the table of handles before its audio.
    @Test func `the next player of a slot keeps its audio when the previous one ends`() throws {
        let outlets = PulledAudioTable.shared
        // Handles unlike those of players: the same slot, with another generation.
        let (old, new) = (UInt(1) << 24 | 0xffff1, UInt(2) << 24 | 0xffff1)
        var device = HostedDevice()
        outlets.add(device, of: old)
        outlets.add(device, of: new)
        device.audioFormat = .mono(sampleRate: 8000)
        outlets.change(to: device, of: old)
        outlets.change(to: nil, of: old)
        #expect(outlets.read(old) { $0.channelCount } == nil)
        #expect(outlets.read(new) { $0.channelCount } == 2)
        outlets.change(to: nil, of: new)
        #expect(outlets.read(new) { $0.channelCount } == nil)
    }
}

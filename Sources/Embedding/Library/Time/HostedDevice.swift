// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadAudio
import PlayheadBuffers
import PlayheadPlayback
import PlayheadPulse
import PlayheadTime

/// The clock and the audio destination of a player.
struct HostedDevice {
    var clockMode = PLAYHEAD_CLOCK_OWN
    var audioMode = PLAYHEAD_AUDIO_DEVICE
    var audioFormat = AudioFormat.stereo(sampleRate: 48_000)
    var manualClock: ManualClock?
    var clock: playhead_clock?
    /// The host's pointer for `clock`. The library does not read the memory that it points to.
    nonisolated(unsafe) var clockUser: UnsafeMutableRawPointer?
    var hostedClock: HostedClock?
    var pulledAudio: PullAudioSink?
    var player = Player(audioSink: nil)

    /// Creates a device for the modes in `playhead_options`.
    static func make(
        clockMode: Int, clock: playhead_clock?, clockUser: UnsafeMutableRawPointer?,
        audioMode: Int, rate: Int32, channels: Int32
    ) throws -> HostedDevice {
        var device = HostedDevice()
        device.clockMode = clockMode
        device.audioMode = audioMode
        switch clockMode {
        case PLAYHEAD_CLOCK_OWN: break
        case PLAYHEAD_CLOCK_TICK: device.manualClock = ManualClock()
        case PLAYHEAD_CLOCK_EXTERNAL:
            guard let clock else {
                throw CallFailure.argument(
                    "clock must not be NULL with PLAYHEAD_CLOCK_EXTERNAL")
            }
            device.clock = clock
            device.clockUser = clockUser
            device.hostedClock = HostedClock(clock, user: clockUser)
        default:
            throw CallFailure.argument("clock mode must be between 0 and 2, not \(clockMode)")
        }
        let rate = rate == 0 ? 48_000 : Int(rate)
        guard (8_000...192_000).contains(rate) else {
            throw CallFailure.argument(
                "audio rate must be between 8000 and 192000 Hz, or 0 to select 48000, not \(rate)")
        }
        guard (0...2).contains(channels) else {
            throw CallFailure.argument(
                "audio channels must be 1 or 2, or 0 to select 2, not \(channels)")
        }
        device.audioFormat = channels == 1 ? .mono(sampleRate: rate) : .stereo(sampleRate: rate)
        var sink: (any AudioSink)?
        switch audioMode {
        case PLAYHEAD_AUDIO_DEVICE:
            // An audio device cannot follow a clock that can stop.
            if device.manualClock == nil { sink = PulseAudioSink(connectingInBackground: .init()) }
        case PLAYHEAD_AUDIO_PULL:
            let pulled = PullAudioSink(
                format: device.audioFormat, latency: .zero, manualClock: device.manualClock)
            device.pulledAudio = pulled
            sink = pulled
        case PLAYHEAD_AUDIO_NONE: break
        default:
            throw CallFailure.argument("audio mode must be between 0 and 2, not \(audioMode)")
        }
        let clock: (any MediaClock)? = device.manualClock ?? device.hostedClock
        device.player = Player(audioSink: sink, masterClock: clock ?? HostClock.shared)
        // The clock is the master clock even if there is audio.
        device.player.masterClock = clock
        return device
    }
}

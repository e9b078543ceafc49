// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadAudio
import PlayheadBuffers
import PlayheadPlayback
import PlayheadTime
import Synchronization

@c @implementation
public func playhead_create(
    _ options: UnsafePointer<playhead_options>?, _ player: UnsafeMutablePointer<OpaquePointer?>?
) -> playhead_status {
    Call.run {
        guard let player else { throw CallFailure.argument("player must not be NULL") }
        player.pointee = nil
        let options = try Argument.read(options, "options", else: playhead_options())
        let device = try HostedDevice.make(
            clockMode: Int(options.clock_mode), clock: options.clock,
            clockUser: options.clock_user, audioMode: Int(options.audio_mode),
            rate: options.audio_rate, channels: options.audio_channels)
        let object = HostedPlayer(device)
        guard let handle = HandleTable.shared.add(object, kind: .player) else {
            throw CallFailure.outOfHandles
        }
        object.begin(handle)
        player.pointee = handle
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_destroy(_ player: OpaquePointer?) -> playhead_status {
    Call.destroy(player, .player) { (player: HostedPlayer) in player.end() }
}

@c @implementation
public func playhead_set_clock(
    _ player: OpaquePointer?, _ mode: playhead_clock_mode, _ clock: playhead_clock?,
    _ user: UnsafeMutableRawPointer?
) -> playhead_status {
    Call.player(player) { player in
        try player.exchangeDevice { old in
            try HostedDevice.make(
                clockMode: Int(mode), clock: clock, clockUser: user, audioMode: old.audioMode,
                rate: Int32(old.audioFormat.sampleRate),
                channels: Int32(old.audioFormat.channelCount))
        }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_set_audio(
    _ player: OpaquePointer?, _ mode: playhead_audio_mode, _ rate: Int32, _ channels: Int32
) -> playhead_status {
    Call.player(player) { player in
        try player.exchangeDevice { old in
            try HostedDevice.make(
                clockMode: old.clockMode, clock: old.clock, clockUser: old.clockUser,
                audioMode: Int(mode), rate: rate, channels: channels)
        }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_read_audio(
    _ player: OpaquePointer?, _ samples: UnsafeMutablePointer<Float>?, _ frame_count: UInt32,
    _ latency: Int64
) -> playhead_status {
    let handle = UInt(bitPattern: player)
    // The call fails below. The buffer is filled with silence, because the mixer plays it anyway.
    if Callback.isRunning, let samples, frame_count <= largestSoundBlock {
        PulledAudioTable.shared.read(handle) { silence(samples, frame_count, $0) }
    }
    return Call.run {
        let isThere: Void? = try PulledAudioTable.shared.read(handle) { outlet in
            guard let samples else { throw CallFailure.argument("samples must not be NULL") }
            guard frame_count <= largestSoundBlock else {
                throw CallFailure.argument(
                    "frame_count must be at most 2^24, not \(frame_count)")
            }
            guard let sink = outlet.sink else {
                silence(samples, frame_count, outlet)
                throw CallFailure.state(
                    "audio can be read only in the mode PLAYHEAD_AUDIO_PULL; set the mode with "
                        + "playhead_set_audio")
            }
            sink.read(
                into: samples, frameCount: Int(frame_count),
                latency: MediaTime(nanoseconds: latency))
        }
        guard isThere != nil else { throw Call.stale(player, .player) }
        return PLAYHEAD_OK
    }
}

/// The maximum number of frames in a call. A larger number is an error of the caller.
private let largestSoundBlock: UInt32 = 1 << 24

private func silence(
    _ samples: UnsafeMutablePointer<Float>, _ frameCount: UInt32, _ outlet: PulledAudio
) {
    samples.update(repeating: 0, count: Int(frameCount) * outlet.channelCount)
}

@c @implementation
public func playhead_set_volume(_ player: OpaquePointer?, _ volume: Float) -> playhead_status {
    Call.player(player) { player in
        guard volume >= 0 else {
            throw CallFailure.argument("volume must be 0 or greater, not \(volume)")
        }
        player.control.withLock { $0.device.player }.volume = volume
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_set_muted(_ player: OpaquePointer?, _ is_muted: Int32) -> playhead_status {
    Call.player(player) { player in
        player.control.withLock { $0.device.player }.isMuted = is_muted != 0
        return PLAYHEAD_OK
    }
}

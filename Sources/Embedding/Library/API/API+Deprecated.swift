// SPDX-License-Identifier: Apache-2.0

public import CPlayhead

// Functions under the names that they had before version 0.1. Programs that were built with these
// names continue to work.

@c @implementation
public func playhead_set_sound(
    _ player: OpaquePointer?, _ mode: playhead_audio_mode, _ rate: Int32, _ channels: Int32
) -> playhead_status {
    playhead_set_audio(player, mode, rate, channels)
}

@c @implementation
public func playhead_read_sound(
    _ player: OpaquePointer?, _ samples: UnsafeMutablePointer<Float>?, _ frame_count: UInt32,
    _ latency: Int64
) -> playhead_status {
    playhead_read_audio(player, samples, frame_count, latency)
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers

/// The audio of a player that a host's mixer reads: see `PulledAudioTable`.
///
/// - Concurrency: constant.
final class PulledAudio: Sendable {
    /// The player's handle.
    let handle: UInt
    let channelCount: Int
    /// The sink from which the host reads audio, or nil if it does not.
    let sink: PullAudioSink?

    init(handle: UInt, _ device: HostedDevice) {
        self.handle = handle
        channelCount = device.audioFormat.channelCount
        sink = device.pulledAudio
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers

/// The audio of a player, read by the host's mixer; see `PulledAudioTable`.
///
/// - Concurrency: any thread, because the properties are constant.
final class PulledAudio: Sendable {
    /// The player's handle.
    let handle: UInt
    let channelCount: Int
    /// The sink that the host reads audio from; nil if the host does not read audio.
    let sink: PullAudioSink?

    init(handle: UInt, _ device: HostedDevice) {
        self.handle = handle
        channelCount = device.audioFormat.channelCount
        sink = device.pulledAudio
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers

/// What a host's mixer reads of one player: see `SoundOutlets`.
///
/// - Concurrency: constant.
final class SoundOutlet: Sendable {
    /// The player's handle.
    let handle: UInt
    let channelCount: Int
    /// Nil where the host does not fetch the sound itself.
    let sink: PullAudioSink?

    init(handle: UInt, _ device: HostedPlayer.Device) {
        self.handle = handle
        channelCount = device.soundFormat.channelCount
        sink = device.pulledSound
    }
}

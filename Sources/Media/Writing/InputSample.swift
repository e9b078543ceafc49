// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A sample that is waiting to be encoded or written.
enum InputSample: Sendable {
    case frame(PixelBuffer, time: MediaTime, duration: MediaTime)
    case audio(AudioBuffer)
    case packet(MediaPacket)
    case cue(String, MediaTimeRange)

    /// The size in memory, in bytes, which counts towards the limits of queues.
    var byteCount: Int {
        switch self {
        case .frame(let buffer, _, _): buffer.byteCount
        case .audio(let buffer): buffer.frameCount * buffer.format.channelCount * 4
        case .packet(let packet): packet.memoryByteCount
        case .cue(let text, _): text.utf8.count + 64
        }
    }
}

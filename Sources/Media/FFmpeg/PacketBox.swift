// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// A packet of compressed data, the payload of this module's `MediaPacket`s.
///
/// - Ownership: frees the packet when released.
/// - Corresponds to: `AVPacket`.
final class PacketBox: @unchecked Sendable {
    // Unchecked: the packet is filled by the demuxer before the box is shared, and decoders take
    // references to its data without changing it.
    let pointer: UnsafeMutablePointer<AVPacket>
    /// The beginning of the packet's track, if it is known. Written before the box is shared.
    var trackStart: TrackStart?

    /// Creates an empty packet. Returns nil if there is not enough memory.
    init?() {
        guard let packet = av_packet_alloc() else { return nil }
        pointer = packet
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&packet)
    }
}

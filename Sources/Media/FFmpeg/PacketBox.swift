// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadTime

/// A packet of compressed data. It is the payload of the `MediaPacket`s of this module.
///
/// - Ownership: the packet is freed on deallocation.
/// - Corresponds to: `AVPacket`.
final class PacketBox: @unchecked Sendable {
    // Unchecked: the packet is filled by the demuxer before the box is shared, and decoders take
    // references to its data without changing it.
    let pointer: UnsafeMutablePointer<AVPacket>
    /// The beginning of the packet's track; nil if unknown. It is written before the box is shared.
    var trackStart: TrackStart?
    /// The end of the known samples of the packet's track; nil if unknown. It is written for text
    /// whose packets have no duration, before the box is shared.
    var trackEnd: MediaTime?
    /// The parameters of the stream from this packet on, if they may have changed. They are written
    /// before the box is shared.
    var parameters: StreamParameters?

    /// Creates an empty packet. Fails if there is not enough memory.
    init?() {
        guard let packet = av_packet_alloc() else { return nil }
        pointer = packet
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&packet)
    }
}

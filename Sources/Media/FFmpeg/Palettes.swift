// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The colours of pictures that are stored as indices into a palette, where the container has it.
///
/// FFmpeg's demuxers of AVI and MOV hand a palette over once, with the first packet that follows
/// it: a decoder that is to begin at another one would have none.
struct Palettes {
    /// By track: the first there was, and that which holds where reading stands.
    private var first: [Int: [UInt8]] = [:]
    private var current: [Int: [UInt8]] = [:]
    private var known: Set<Int> = []

    /// Whether the packet has come that would have brought a track's palette.
    func isKnown(_ track: Int) -> Bool { known.contains(track) }

    /// Keeps the palette that a packet brings, and gives one that decoders may begin at that which
    /// holds.
    mutating func complete(_ packet: UnsafeMutablePointer<AVPacket>) {
        let track = Int(packet.pointee.stream_index)
        known.insert(track)
        var size = 0
        if let data = av_packet_get_side_data(packet, AV_PKT_DATA_PALETTE, &size) {
            let palette = Array(UnsafeBufferPointer(start: data, count: size))
            if first[track] == nil { first[track] = palette }
            current[track] = palette
        } else if packet.pointee.flags & AV_PKT_FLAG_KEY != 0, let palette = current[track],
            let data = av_packet_new_side_data(packet, AV_PKT_DATA_PALETTE, palette.count)
        {
            data.update(from: palette, count: palette.count)
        }
    }

    /// What is read next lies elsewhere: where no palette comes with it, the first holds.
    mutating func restart() { current = first }
}

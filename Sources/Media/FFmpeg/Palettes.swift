// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The palettes of indexed video, for containers that store them separately.
///
/// FFmpeg's demuxers of AVI and MOV return a palette only once, with the packet that follows it.
/// Without this type, a decoder that begins at another packet would have no palette.
struct Palettes {
    /// The first palette of each track, and the palette that applies to the current packet.
    private var first: [Int: [UInt8]] = [:]
    private var current: [Int: [UInt8]] = [:]
    private var known: Set<Int> = []

    /// Returns whether the packet that contains a track's first palette, if any, has been read.
    func isKnown(_ track: Int) -> Bool { known.contains(track) }

    /// Stores the palette of a packet. If the packet has no palette and decoding may begin at the
    /// packet, adds the current palette to it.
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

    /// Restores the first palettes, which apply after a seek until another palette is read.
    mutating func restart() { current = first }
}

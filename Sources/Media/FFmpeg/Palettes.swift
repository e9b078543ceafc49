// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The palettes of indexed video, for containers that store them separately.
///
/// FFmpeg's demuxers of AVI and MOV return a palette once, with the packet that follows it. A
/// decoder that begins at another packet would have none.
struct Palettes {
    /// The first palette of each track, and the one that applies to the current packet.
    private var first: [Int: [UInt8]] = [:]
    private var current: [Int: [UInt8]] = [:]
    private var known: Set<Int> = []

    /// Returns whether the packet with a track's first palette, if there is one, has been read.
    func isKnown(_ track: Int) -> Bool { known.contains(track) }

    /// Stores the palette of a packet, or adds the current one to a packet at which decoding may
    /// begin.
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

    /// Called after a seek: until another palette is read, the first one applies.
    mutating func restart() { current = first }
}

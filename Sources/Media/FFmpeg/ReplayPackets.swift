// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The packets that another decoder needs to continue after a decoder has failed. They begin with
/// the second-to-last keyframe, because frames before the last keyframe may still have been in the
/// failed decoder.
struct ReplayPackets {
    private(set) var packets: [MediaPacket] = []
    private var byteCount = 0
    private var lastKeyframe: Int?

    /// The maximum total size of the packets, in bytes. If a group of pictures is larger, the other
    /// decoder begins at the next keyframe.
    private static let byteLimit = 64 << 20

    mutating func append(_ packet: MediaPacket) {
        if packet.isKeyframe {
            if let lastKeyframe { removeFirst(lastKeyframe) }
            lastKeyframe = packets.count
        }
        // Decoding can begin only at a keyframe.
        guard lastKeyframe != nil else { return }
        packets.append(packet)
        byteCount += packet.byteCount
        if byteCount > Self.byteLimit { removeAll() }
    }

    private mutating func removeFirst(_ count: Int) {
        for packet in packets.prefix(count) { byteCount -= packet.byteCount }
        packets.removeFirst(count)
    }

    mutating func removeAll() { self = ReplayPackets() }
}

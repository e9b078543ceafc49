// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// What another decoder has to be given to go on where one has failed: the packets from the last
/// keyframe but one, since pictures before the last may still have been in the one that failed.
struct ReplayPackets {
    private(set) var packets: [MediaPacket] = []
    private var byteCount = 0
    private var lastKeyframe: Int?

    /// Longer groups are not kept: the other decoder then begins at the next keyframe.
    private static let byteLimit = 64 << 20

    mutating func append(_ packet: MediaPacket) {
        if packet.isKeyframe {
            if let lastKeyframe { removeFirst(lastKeyframe) }
            lastKeyframe = packets.count
        }
        // Nothing can be decoded from anywhere else.
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

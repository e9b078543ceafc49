// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The positions at which decoders wait in case a seek returns to them.
///
/// - Capacity: a number of positions and of bytes. When it is exceeded, the oldest are discarded.
struct KeptPositions {
    /// The maximum number of positions. Each has threads of its own.
    private static let limit = 8

    private var positions: [DecoderPosition] = []

    var isEmpty: Bool { positions.isEmpty }

    /// Keeps a position. Returns a decoder whose position is discarded, if there is one.
    mutating func keep(_ position: DecoderPosition, byteLimit: Int) -> CodecContext? {
        positions.append(position)
        var size = positions.reduce(0) { $0 + $1.byteCount }
        var discarded: CodecContext?
        while positions.count > Self.limit || (size > byteLimit && !positions.isEmpty) {
            size -= positions[0].byteCount
            discarded = positions.removeFirst().codec
        }
        return discarded
    }

    /// Keeps a position that was taken out and was not needed.
    mutating func giveBack(_ position: DecoderPosition) { positions.append(position) }

    /// Takes out the position that is nearest to the first frame that is needed.
    ///
    /// - Parameters:
    ///   - packet: The keyframe at which decoding begins otherwise.
    ///   - limit: The time at or before which frames that are not needed end.
    mutating func take(
        beginningWith packet: MediaPacket, before limit: MediaTime
    ) -> DecoderPosition? {
        let candidates = positions.indices.filter {
            positions[$0].log.matches(packet, at: 0) && positions[$0].reaches(limit)
        }
        return candidates.max { positions[$0].log.count < positions[$1].log.count }
            .map { positions.remove(at: $0) }
    }

    mutating func removeAll() { positions.removeAll() }
}

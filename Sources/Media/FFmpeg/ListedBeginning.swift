// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The beginning of reading in the playlists of a recording, as far as the playlists and the bytes
/// of the first segment state it.
///
/// - Concurrency: a value.
struct ListedBeginning {
    /// The time, in the playlist of the main variant, of the first segment that is read.
    var main = MediaTime.zero
    /// The time, in the playlist of a rendition, of the first segment that is read.
    var rendition = MediaTime.zero
    /// The number of playlists that are read.
    var listCount = 0
    /// A Boolean value that indicates whether the first packet of audio in a first segment, which
    /// is a part of an MPEG transport stream, states no time; nil if none of these segments begins
    /// with audio.
    private(set) var isUntimed: Bool?
    /// The number of segments whose first bytes were taken.
    private var headCount = 0

    private static let packetSize = 188
    private static let syncByte: UInt8 = 0x47

    /// Takes the first bytes of a segment, if it may be the first one of a playlist.
    mutating func note(_ head: [UInt8]) {
        guard headCount < listCount, isUntimed != true else { return }
        headCount += 1
        isUntimed = Self.firstAudioHasTime(head).map { !$0 } ?? isUntimed
    }

    /// Returns whether the first packet of audio states a time (ISO/IEC 13818-1, 2.4.3.6); nil
    /// without such a packet.
    private static func firstAudioHasTime(_ head: [UInt8]) -> Bool? {
        for start in stride(from: 0, through: head.count - packetSize, by: packetSize) {
            guard head[start] == syncByte else { return nil }
            let isStart = head[start + 1] & 0x40 != 0
            let (hasField, hasPayload) = (head[start + 3] & 0x20 != 0, head[start + 3] & 0x10 != 0)
            let packet = start + 4 + (hasField ? Int(head[start + 4]) + 1 : 0)
            guard isStart, hasPayload, packet + 8 < start + packetSize,
                head[packet..<packet + 3].elementsEqual([0, 0, 1]), head[packet + 3] & 0xE0 == 0xC0
            else { continue }
            return head[packet + 7] & 0x80 != 0
        }
        return nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Where the packets of another variant take the place of those before: nothing twice, nothing
/// missing.
struct VariantJunction {
    /// From where on, for each track.
    private var starts: [Int: MediaTime]
    private let leading: Int
    private var isAwaitingKeyframe = true

    init(starts: [Int: MediaTime], leading: Int) {
        self.starts = starts
        self.leading = leading
    }

    /// What becomes of a packet of the new variant.
    enum Use { case dropped, decodedOnly, used }

    mutating func use(_ packet: MediaPacket) -> Use {
        guard let start = starts[packet.trackID] else { return .used }
        let isBefore = packet.presentationTime.isNumeric && packet.presentationTime < start
        if packet.trackID == leading {
            // Decoding begins at a keyframe, which may lie before where the pictures are wanted.
            if isAwaitingKeyframe, !packet.isKeyframe { return .dropped }
            isAwaitingKeyframe = false
            if isBefore { return .decodedOnly }
            // Later ones in the file may still be shown earlier, for pictures are reordered.
            if packet.decodeTime.isNumeric, packet.decodeTime >= start { starts[leading] = nil }
            return .used
        }
        if isBefore { return .dropped }
        starts[packet.trackID] = nil
        return .used
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The point at which the packets of another variant replace those of the previous variant, without
/// repetitions or gaps.
struct VariantJunction {
    /// The time from which packets of the new variant are used, for each track.
    private var starts: [Int: MediaTime]
    private let leading: Int
    private var isAwaitingKeyframe = true

    init(starts: [Int: MediaTime], leading: Int) {
        self.starts = starts
        self.leading = leading
    }

    /// The way in which a packet of the new variant is used.
    enum Use { case dropped, decodedOnly, used }

    mutating func use(_ packet: MediaPacket) -> Use {
        guard let start = starts[packet.trackID] else { return .used }
        let isBefore = packet.presentationTime.isNumeric && packet.presentationTime < start
        if packet.trackID == leading {
            // Decoding begins at a keyframe, which may precede the first frame that is needed.
            if isAwaitingKeyframe, !packet.isKeyframe { return .dropped }
            isAwaitingKeyframe = false
            if isBefore { return .decodedOnly }
            // Frames are reordered, so a later packet in the file may be displayed earlier.
            if packet.decodeTime.isNumeric, packet.decodeTime >= start { starts[leading] = nil }
            return .used
        }
        if isBefore { return .dropped }
        starts[packet.trackID] = nil
        return .used
    }
}

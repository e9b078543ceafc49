// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The payload of a composition's packet: packets of a source, in the order of decoding.
///
/// A composition has one packet for each frame or run of audio that it plays. That packet includes
/// the source's packets that are only needed to decode the frame or run. Therefore no packet of a
/// composition is decoded only to be dropped.
final class CompositionPayload: Sendable {
    let run: CompositionRun
    /// A number that changes with each new start position, such as after a seek. If it changes, the
    /// packets do not continue the previous ones.
    let pass: Int
    /// The packets; empty for a frame whose data was part of an earlier packet.
    let packets: [MediaPacket]
    /// A Boolean value that indicates whether the run ends with these packets. Its last frames are
    /// then complete, without waiting for the next source.
    let isLast: Bool

    init(run: CompositionRun, pass: Int, packets: [MediaPacket], isLast: Bool) {
        self.run = run
        self.pass = pass
        self.packets = packets
        self.isLast = isLast
    }
}

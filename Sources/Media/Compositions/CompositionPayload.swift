// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The payload of a composition's packet: packets of a source, in the order of decoding.
///
/// There is one packet for each frame or run of audio that the composition shows. Packets that are
/// only needed to decode it travel with it: a packet of a composition is never one whose frame is
/// dropped.
final class CompositionPayload: Sendable {
    let run: CompositionRun
    /// The number of the position that reading began at. Another number means that the packets do
    /// not continue the ones before.
    let pass: Int
    /// Empty for a frame whose data an earlier packet has brought.
    let packets: [MediaPacket]

    init(run: CompositionRun, pass: Int, packets: [MediaPacket]) {
        self.run = run
        self.pass = pass
        self.packets = packets
    }
}

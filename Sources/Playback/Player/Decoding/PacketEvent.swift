// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// An event that a decoding thread receives from the packet queue.
enum PacketEvent {
    case packet(MediaPacket)
    /// A seek began. Discard all state, and continue with the packets of this generation.
    case flush(generation: Int)
    /// A seek began, and decoding the following packets reaches its target. Continue as this
    /// generation.
    case redirect(generation: Int)
    /// There is no packet to read, but more will come. Delivered once, before the wait.
    case ranDry
    /// The track beside the leading one has a gap: others have been read far beyond its last
    /// packet, or as far as there is space. Delivered once per gap.
    case passedOver
    /// The track has ended. Output all frames or samples that are still held. Delivered once per
    /// generation, and again if more packets arrive afterwards.
    case endOfStream
    /// The item is being closed.
    case closed
}

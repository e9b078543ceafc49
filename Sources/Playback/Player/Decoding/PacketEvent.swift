// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// An event that a decoding thread receives from the packet queue.
enum PacketEvent {
    case packet(MediaPacket)
    /// A seek began. Discard all state, and continue with the packets of this generation.
    case flush(generation: Int)
    /// A seek began, and its target is reached by decoding the packets that follow. Keep all state,
    /// and continue in this generation.
    case redirect(generation: Int)
    /// There is no packet to read, but more will come. Delivered once, before the wait.
    case ranDry
    /// The track probably has a gap: other tracks have been read far beyond its last packet, or the
    /// queue is full of their packets. Delivered once per gap, and only to readers of video tracks
    /// other than the leading one.
    case passedOver
    /// The track has ended. Output all frames or samples that are still held. Delivered once per
    /// generation, and again if more packets arrive afterwards.
    case endOfStream
    /// The item is being closed.
    case closed
}

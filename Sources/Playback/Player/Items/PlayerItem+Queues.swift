// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
public import PlayheadTime

/// How much of an item waits in its queues: what has been read, and what has been decoded.
public struct QueueDepths: Sendable, Hashable {
    /// Frames that are decoded, the visible one among them.
    public var frames: Int
    /// Packets that are read and not decoded, of all tracks, and their bytes.
    public var packets: Int
    /// What they take.
    public var packetBytes: Int
    /// Sound that is decoded.
    public var sound: MediaTime
}

extension PlayerItem {
    /// How much waits now. Takes a short lock of each queue: for statistics.
    public var queueDepths: QueueDepths {
        let packets = pipeline.packets.depth
        let renderer = pipeline.control.withLock { $0.renderer }
        return QueueDepths(
            frames: pipeline.frames.depth, packets: packets.count, packetBytes: packets.bytes,
            sound: renderer?.bufferedTimeRange.duration ?? .zero)
    }
}

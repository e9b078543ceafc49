// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
public import PlayheadTime

/// The contents of an item's queues: packets that have been read, and decoded frames and audio.
public struct QueueDepths: Sendable, Hashable {
    /// The number of decoded frames, including the visible one.
    package var frames: Int
    /// The number of packets of all tracks that have not been decoded.
    package var packets: Int
    /// The size of the packets, in bytes.
    package var packetBytes: Int
    /// The duration of decoded audio.
    public var sound: MediaTime
}

extension PlayerItem {
    /// The current contents of the queues, for statistics. Getting them takes a short lock for each
    /// queue.
    public var queueDepths: QueueDepths {
        let packets = pipeline.packets.depth
        let renderer = pipeline.control.withLock { $0.renderer }
        return QueueDepths(
            frames: pipeline.frames.depth, packets: packets.count, packetBytes: packets.bytes,
            sound: renderer?.bufferedTimeRange.duration ?? .zero)
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The capacity of a packet queue.
struct PacketBounds: Sendable, Equatable {
    /// The value of `duration` for local files. A second or more of every track keeps decoders busy
    /// even with a very slow disk.
    static let localDuration = MediaTime(value: 2, timescale: 1)
    /// The value of `duration` for media over a network. Half a minute is longer than most
    /// interruptions.
    static let remoteDuration = MediaTime(value: 30, timescale: 1)
    /// The value of `count` for a live source whose frames are shown as they arrive. With fewer
    /// packets, the threads would wait for each other.
    static let arrivingCount = 4
    /// The factor for `byteCount` while one track has nothing to read. When the queue reaches the
    /// larger size, the other tracks play without that track.
    static let starvingFactor = 4
    /// The maximum distance between corresponding packets of tracks in a file. A track without
    /// packets over a longer distance is assumed to have a gap, and playback does not stop for it.
    static let interleavingLimit = MediaTime(value: 15, timescale: 1)

    /// The duration of the packets that are held for each track.
    var duration = PacketBounds.localDuration
    /// The total size of the packets of all tracks, in bytes.
    var byteCount = MediaLimits().queuedBytes

    /// The minimum number of packets for each track, even if fewer packets reach `duration`.
    var count = 32

    /// The bounds to which a full queue is drained before reading continues. Reading more at once
    /// costs less than a thread that wakes for every packet.
    var lowWater: PacketBounds {
        PacketBounds(
            duration: duration * 0.75, byteCount: byteCount / 4 * 3, count: count / 4 * 3)
    }

    var starvingByteCount: Int {
        let (count, overflows) = byteCount.multipliedReportingOverflow(by: Self.starvingFactor)
        return overflows ? .max : count
    }
}

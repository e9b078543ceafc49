// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The capacity of a packet queue.
struct PacketBounds: Sendable, Equatable {
    /// The duration for local files: a second or more of every track keeps decoders busy through
    /// the slowest disk.
    static let localDuration = MediaTime(value: 2, timescale: 1)
    /// The duration over a network: half a minute outlasts most interruptions.
    static let remoteDuration = MediaTime(value: 30, timescale: 1)
    /// The multiple of `byteCount` that is held while one track has nothing to read. Beyond that
    /// the others play without it.
    static let starvingFactor = 4
    /// The largest distance of tracks in a file: a track that has nothing for longer than others is
    /// assumed to have a gap there, and playback does not stop for it.
    static let interleavingLimit = MediaTime(value: 15, timescale: 1)

    /// The duration of each track.
    var duration = PacketBounds.localDuration
    /// The number of bytes of all tracks together.
    var byteCount = MediaLimits().queuedBytes

    /// The number of packets of each track that is not waited for.
    var count = 32

    /// The bounds to which a full queue drains before reading continues: one longer reading costs
    /// less than a thread that wakes for every packet.
    var lowWater: PacketBounds {
        PacketBounds(
            duration: duration * 0.75, byteCount: byteCount / 4 * 3, count: count / 4 * 3)
    }

    var starvingByteCount: Int {
        let (count, overflows) = byteCount.multipliedReportingOverflow(by: Self.starvingFactor)
        return overflows ? .max : count
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// How much a packet queue may hold.
struct PacketBounds: Sendable, Equatable {
    /// A sample of a second or more of every track keeps decoders busy through the slowest disk.
    static let localDuration = MediaTime(value: 2, timescale: 1)
    /// What comes over a network is read further ahead: half a minute outlasts most interruptions.
    static let remoteDuration = MediaTime(value: 30, timescale: 1)
    /// How much more than `byteCount` is held while one track has nothing to read. Beyond that the
    /// others play without it.
    static let starvingFactor = 4
    /// How far tracks lie apart in a file at most: a track that has nothing for longer than others
    /// is taken to have a gap there, and playback does not stop for it.
    static let interleavingLimit = MediaTime(value: 15, timescale: 1)

    /// Of every track.
    var duration = PacketBounds.localDuration
    /// Of all tracks together.
    var byteCount = MediaLimits().queuedBytes

    /// Of every track that is not to be waited for.
    var count = 32

    /// Once it is full, nothing more is read until it holds no more than this: one longer reading
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

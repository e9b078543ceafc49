// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The beginning of a track, learned from its first packet.
///
/// A seek to the beginning is compared with it, and an audio decoder places what it decodes after a
/// seek by it.
struct TrackStart: Sendable, Hashable {
    /// The time of the first packet, on the asset's timeline.
    var time: MediaTime
    /// The number of samples at the beginning that are decoded but not heard: priming.
    var skippedSamples: Int
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The beginning of a track, as read from its first packet.
///
/// After a seek to the beginning, it shows whether the seek reached the track's first packet. After
/// a seek, an audio decoder uses it to place the audio that it decodes.
struct TrackStart: Sendable, Hashable {
    /// The time of the first packet, on the asset's timeline.
    var time: MediaTime
    /// The number of samples at the beginning that are decoded but not heard, which is the priming.
    var skippedSamples: Int
}

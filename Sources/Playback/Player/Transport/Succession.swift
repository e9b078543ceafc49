// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The moment at which an item ends and the next one begins.
struct Succession: Sendable {
    var clock: any MediaClock
    /// The time of `clock` at that moment.
    var time: MediaTime
    /// The rate without the `rateAdjustment` of the item that ends, because the next item has its
    /// own.
    var rate: Double
    /// The time of the next item at that moment, at which its audio begins. Its timeline runs
    /// through that time, and its frames are shown from its playhead on, which may be earlier. If
    /// the time is not numeric, the next item begins at its playhead.
    var itemTime = MediaTime.invalid

    /// Returns whether the moments are equal.
    func isSame(as other: Succession) -> Bool {
        clock === other.clock && time == other.time && rate == other.rate
    }
}

/// The time at which another item can follow a playing item, as far as it is known.
enum SuccessionPlan: Sendable {
    /// The time is unknown, because the item does not move or its end is not known.
    case open
    case at(Succession)
    /// The end has been reached.
    case over
}

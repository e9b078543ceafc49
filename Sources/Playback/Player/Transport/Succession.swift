// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The moment at which an item ends and the next begins.
struct Succession: Sendable {
    var clock: any MediaClock
    /// The time of `clock` at that moment.
    var time: MediaTime
    /// The rate without the ended item's `rateAdjustment`, because the next one has its own.
    var rate: Double

    func isSame(as other: Succession) -> Bool {
        clock === other.clock && time == other.time && rate == other.rate
    }
}

/// The knowledge of a playing item about the moment at which another follows.
enum SuccessionPlan: Sendable {
    /// Unknown: it does not move, or its end is not known.
    case open
    case at(Succession)
    /// The end has been reached.
    case over
}

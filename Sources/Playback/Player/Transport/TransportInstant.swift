// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The moment of an event, as read from the clocks by the pipeline.
struct TransportInstant: Sendable {
    /// The time and the rate of the timeline.
    var time = MediaTime.zero
    var rate = 0.0
    /// The time of the timeline's master.
    var masterTime = MediaTime.zero
    /// The host time, in nanoseconds.
    var hostNanoseconds: Int64 = 0
}

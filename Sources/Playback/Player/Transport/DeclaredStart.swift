// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A start of the timeline at declared times, regardless of what has been decoded.
struct DeclaredStart: Sendable {
    var rate: Double
    /// The item time. If it is not numeric, the time of the playhead is used.
    var time: MediaTime
    /// The host time. If it is not numeric, the current time is used.
    var hostTime: MediaTime
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A timeline that is declared, instead of being started when enough has been decoded.
struct DeclaredStart: Sendable {
    var rate: Double
    /// The item time. If it is not numeric, the time of the playhead is used.
    var time: MediaTime
    /// The host time. If it is not numeric, the current time is used.
    var hostTime: MediaTime
}

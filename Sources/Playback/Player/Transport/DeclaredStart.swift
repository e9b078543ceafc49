// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A timeline that is declared rather than started when enough has been decoded.
struct DeclaredStart: Sendable {
    var rate: Double
    /// The item time; if it is not numeric, that of the playhead.
    var time: MediaTime
    /// The host time; if it is not numeric, now.
    var hostTime: MediaTime
}

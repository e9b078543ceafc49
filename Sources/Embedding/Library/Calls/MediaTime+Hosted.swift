// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The header's `PLAYHEAD_NO_TIME`.
let noTime = Int64.min

extension MediaTime {
    /// The time in nanoseconds, or `noTime`.
    var hosted: Int64 { isNumeric ? nanoseconds ?? noTime : noTime }
}

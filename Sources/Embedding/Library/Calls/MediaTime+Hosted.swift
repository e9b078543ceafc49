// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The value of `PLAYHEAD_NO_TIME` in the header.
let noTime = Int64.min

extension MediaTime {
    /// The time in nanoseconds; `noTime` if it is not numeric or too large.
    var hosted: Int64 { isNumeric ? nanoseconds ?? noTime : noTime }
}

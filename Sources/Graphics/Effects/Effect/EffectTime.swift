// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The time of a frame, as effects read it.
package struct EffectTime: Sendable, Hashable {
    /// The time of the item, in seconds (ISF's `TIME`). Pausing the video pauses its effects.
    package var seconds: Double
    /// The year, the month from 1, the day from 1 and the seconds since midnight (ISF's `DATE`), or
    /// nil for the current local time. An export sets a date, so that its result is the same each
    /// time.
    package var date: SIMD4<Float>?

    package init(seconds: Double, date: SIMD4<Float>? = nil) {
        self.seconds = seconds
        self.date = date
    }

    static func dateNow() -> SIMD4<Float> {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var local = tm()
        localtime_r(&now.tv_sec, &local)
        let seconds = local.tm_hour * 3600 + local.tm_min * 60 + local.tm_sec
        return [
            Float(local.tm_year + 1900), Float(local.tm_mon + 1), Float(local.tm_mday),
            Float(seconds) + Float(now.tv_nsec) / 1e9,
        ]
    }
}

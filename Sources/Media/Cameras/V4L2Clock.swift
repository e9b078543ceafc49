// SPDX-License-Identifier: Apache-2.0

import CPlayheadV4L2
import PlayheadCapturing

/// The host times of a driver's frames.
///
/// The driver's timestamp is used if it is on the monotonic clock, plausible and increasing;
/// otherwise the time of arrival is used. Some drivers use another clock, write no timestamps, or
/// repeat them.
struct V4L2Clock {
    private var stamps = StampClock()

    /// Returns the host time of a frame, in nanoseconds.
    mutating func time(stamp: Int64, flags: UInt32, arrival: Int64) -> Int64 {
        let kind = flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK)
        let isMonotonic = kind == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        return isMonotonic
            ? stamps.time(stamp: stamp, arrival: arrival) : stamps.time(arrival: arrival)
    }
}

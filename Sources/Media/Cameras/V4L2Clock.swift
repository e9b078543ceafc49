// SPDX-License-Identifier: Apache-2.0

import CPlayheadV4L2

/// The host times of a driver's frames.
///
/// The driver's own time counts if it is of the monotonic clock, plausible and increasing;
/// otherwise the time of arrival does. Some drivers stamp with another clock, do not stamp, or
/// repeat stamps.
struct V4L2Clock {
    private var last = Int64.min
    /// A stamp further from the arrival is of another clock, whatever the flags say.
    private static let tolerance: Int64 = 10_000_000_000

    /// Returns the host time of a frame, in nanoseconds.
    mutating func time(stamp: Int64, flags: UInt32, arrival: Int64) -> Int64 {
        let kind = flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK)
        let isMonotonic = kind == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        let isPlausible = stamp > last && abs(stamp - arrival) < Self.tolerance
        let time = isMonotonic && isPlausible ? stamp : max(arrival, last + 1)
        last = time
        return time
    }
}

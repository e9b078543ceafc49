// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The machine's monotonic clock, in nanoseconds: the timeline that all others are seen from.
///
/// - Corresponds to: `CMClockGetHostTimeClock()`; reads `CLOCK_MONOTONIC`, the clock in which the
///   X server stamps its vsyncs too.
public final class HostClock: MediaClock {
    /// The machine's one.
    public static let shared = HostClock()
    private init() {}

    /// `CLOCK_MONOTONIC` in nanoseconds.
    package static var nanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    public var time: MediaTime { MediaTime(nanoseconds: Self.nanoseconds) }
    public func time(atHostTime hostTime: MediaTime) -> MediaTime { hostTime }
    public func hostTime(at time: MediaTime) -> MediaTime { time }
}

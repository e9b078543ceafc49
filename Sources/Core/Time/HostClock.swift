// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The machine's monotonic clock, in nanoseconds, to which all other clocks are related.
///
/// - Corresponds to: `CMClockGetHostTimeClock()`. Reads `CLOCK_MONOTONIC`, which is also the clock
///   of the X server's vsync timestamps.
public final class HostClock: MediaClock {
    /// The host clock of this machine.
    public static let shared = HostClock()
    private init() {}

    /// The reading of `CLOCK_MONOTONIC`, in nanoseconds.
    package static var nanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// The current host time.
    public var time: MediaTime { MediaTime(nanoseconds: Self.nanoseconds) }
    /// Returns `hostTime`.
    public func time(atHostTime hostTime: MediaTime) -> MediaTime { hostTime }
    /// Returns `time`.
    public func hostTime(at time: MediaTime) -> MediaTime { time }
}

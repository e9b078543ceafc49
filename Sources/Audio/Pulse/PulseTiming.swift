// SPDX-License-Identifier: Apache-2.0

package import CPlayheadPulse
import Glibc
import PlayheadTime

extension pa_timing_info {
    /// The age, in nanoseconds, above which a stamp is assumed to precede a change of the wall
    /// clock. A stamp from the future also indicates such a change.
    private static let oldestStamp: Int64 = 500_000_000

    /// The host time of the stamp, in nanoseconds. The server's stamp is a time of the wall clock.
    /// The distance of the stamp from the current wall-clock time is subtracted from the current
    /// host time.
    package var hostTime: Int64 {
        var wall = timeval()
        gettimeofday(&wall, nil)
        let now = HostClock.nanoseconds
        let age =
            (Int64(wall.tv_sec) - Int64(timestamp.tv_sec)) * 1_000_000_000
            + (Int64(wall.tv_usec) - Int64(timestamp.tv_usec)) * 1_000
        // If the stamp comes from another machine, or from before a change of the wall clock, half
        // a round trip is used instead.
        guard synchronized_clocks != 0, age >= 0, age < Self.oldestStamp else {
            return now - Int64(clamping: transport_usec) * 1_000
        }
        return now - age
    }
}

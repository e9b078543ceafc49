// SPDX-License-Identifier: Apache-2.0

package import CPlayheadPulse
import Glibc
import PlayheadTime

extension pa_timing_info {
    /// A stamp older than this, or from the future, was made before somebody set the wall clock.
    private static let oldestStamp: Int64 = 500_000_000

    /// The host time of the stamp, in nanoseconds. The server stamps by the wall clock; the
    /// difference to the wall clock now is taken off the host clock now.
    package var hostTime: Int64 {
        var wall = timeval()
        gettimeofday(&wall, nil)
        let now = HostClock.nanoseconds
        let age =
            (Int64(wall.tv_sec) - Int64(timestamp.tv_sec)) * 1_000_000_000
            + (Int64(wall.tv_usec) - Int64(timestamp.tv_usec)) * 1_000
        // From another machine's server, or across a change of the wall clock, half a round trip.
        guard synchronized_clocks != 0, age >= 0, age < Self.oldestStamp else {
            return now - Int64(clamping: transport_usec) * 1_000
        }
        return now - age
    }
}

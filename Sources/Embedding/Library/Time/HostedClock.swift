// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import Glibc
import PlayheadTime
import Synchronization

/// A clock that the host provides.
///
/// - Concurrency: any thread. After `invalidate` has returned, the host's function is no longer
///   called, and the clock continues from its last value.
final class HostedClock: MediaClock, @unchecked Sendable {
    // Unchecked: the function is constant, and the host guarantees that it may be called on any
    // thread.
    private let function: playhead_clock
    private let user: UnsafeMutableRawPointer?
    /// The number of calls in progress. `ended` is added to it when no further call may begin.
    private let calls = Atomic<Int>(0)
    private static let ended = 1 << 32
    /// The difference between the clock and the host clock at the last reading.
    private let lead = Atomic<Int64>(0)

    init(_ function: @escaping playhead_clock, user: UnsafeMutableRawPointer?) {
        self.function = function
        self.user = user
    }

    var time: MediaTime { MediaTime(nanoseconds: read(HostClock.nanoseconds)) }

    func time(atHostTime hostTime: MediaTime) -> MediaTime {
        guard let nanoseconds = hostTime.nanoseconds else { return hostTime }
        return MediaTime(nanoseconds: read(nanoseconds))
    }

    /// Returns the host time at which the clock reads `time`. It is estimated twice. The clock's
    /// rate is close to 1, so the error of the first estimate is a few millionths of the distance.
    /// The error of the second estimate is a few millionths of the first error.
    func hostTime(at time: MediaTime) -> MediaTime {
        guard let target = time.nanoseconds else { return time }
        var host = HostClock.nanoseconds
        for _ in 0..<3 { host = host &+ (target &- read(host)) }
        return MediaTime(nanoseconds: host)
    }

    /// Stops calling the host's function. It can be called more than once.
    func invalidate() {
        calls.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing)
        // Calls are short, and no new call can begin.
        while calls.load(ordering: .acquiring) != Self.ended { sched_yield() }
    }

    private func read(_ hostTime: Int64) -> Int64 {
        let count = calls.add(1, ordering: .acquiring).newValue
        defer { calls.subtract(1, ordering: .releasing) }
        guard count < Self.ended else {
            return hostTime &+ lead.load(ordering: .relaxed)
        }
        let time = Callback.run { function(user, hostTime) }
            .clamped(to: -Argument.farthestTime...Argument.farthestTime)
        lead.store(time &- hostTime, ordering: .relaxed)
        return time
    }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import Glibc
import PlayheadTime
import Synchronization

/// A clock of the host.
///
/// - Concurrency: any thread. Once `invalidate` has returned, the host's function is not called any
///   more; the clock goes on from what it last read.
final class HostedClock: MediaClock, @unchecked Sendable {
    // Unchecked: the function is constant, and the host says that it may be called on any thread.
    private let function: playhead_clock
    private let user: UnsafeMutableRawPointer?
    /// Calls that are under way, and `ended` besides once none may begin any more.
    private let calls = Atomic<Int>(0)
    private static let ended = 1 << 32
    /// The difference to host time at the last reading.
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

    /// Its rate is nearly 1, so the first guess is off by a few millionths of its distance, and the
    /// second by a few millionths of that.
    func hostTime(at time: MediaTime) -> MediaTime {
        guard let target = time.nanoseconds else { return time }
        var host = HostClock.nanoseconds
        for _ in 0..<3 { host = host &+ (target &- read(host)) }
        return MediaTime(nanoseconds: host)
    }

    /// May be called more than once.
    func invalidate() {
        calls.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing)
        // A call is short, and none begins any more.
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

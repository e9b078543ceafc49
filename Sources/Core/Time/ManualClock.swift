// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that stands still until it is told to move.
///
/// Whatever it is injected into takes it for the host clock, so its reading *is* host time there:
/// tests and offline rendering move it from frame to frame and get the same pictures at any speed.
///
/// - Concurrency: any thread; reads and moves are single atomic operations.
public final class ManualClock: MediaClock {
    private let now: Atomic<Int64>

    /// A clock that reads `time`, which is kept in nanoseconds.
    public init(time: MediaTime = .zero) {
        now = Atomic(time.nanoseconds ?? 0)
    }

    public var time: MediaTime { MediaTime(nanoseconds: now.load(ordering: .acquiring)) }
    public func time(atHostTime hostTime: MediaTime) -> MediaTime { hostTime }
    public func hostTime(at time: MediaTime) -> MediaTime { time }

    /// Moves the clock to `time`. Clocks do not run backwards: an earlier time is ignored.
    public func advance(to time: MediaTime) {
        guard let target = time.nanoseconds else { return }
        now.max(target, ordering: .acquiringAndReleasing)
    }

    /// Moves the clock on by `duration`; a negative one is ignored.
    public func advance(by duration: MediaTime) {
        guard let step = duration.nanoseconds, step > 0 else { return }
        now.add(step, ordering: .acquiringAndReleasing)
    }
}

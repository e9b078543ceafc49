// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that stands still until it is told to move.
///
/// Whatever it is injected into takes it for the host clock, so its reading *is* host time there:
/// tests and offline rendering move it from frame to frame and get the same pictures at any speed.
///
/// Timers of timebases on this clock fire within `advance`, on the thread that moves it, each when
/// the clock reads its very time: the same at each run. One that is set for a time that has come
/// already fires at once, on the library's own thread, as it does on other clocks. Before the clock
/// moves, that has happened, and observers of timebases have been told of all that did.
///
/// - Concurrency: any thread; reads are single atomic operations.
public final class ManualClock: MediaClock {
    private let now: Atomic<Int64>
    /// What the clock reads once all moves under way have been made.
    private let goal: Atomic<Int64>
    private let alarms = Mutex(AlarmList())

    /// A clock that reads `time`, which is kept in nanoseconds.
    public init(time: MediaTime = .zero) {
        now = Atomic(time.nanoseconds ?? 0)
        goal = Atomic(time.nanoseconds ?? 0)
    }

    public var time: MediaTime { MediaTime(nanoseconds: now.load(ordering: .acquiring)) }
    public func time(atHostTime hostTime: MediaTime) -> MediaTime { hostTime }
    public func hostTime(at time: MediaTime) -> MediaTime { time }

    /// Moves the clock to `time`, firing on the way the timers that are due by then, in their
    /// order. Clocks do not run backwards: at an earlier time only those fire that were due
    /// already.
    public func advance(to time: MediaTime) {
        guard let target = time.nanoseconds else { return }
        move(to: goal.max(target, ordering: .acquiringAndReleasing).newValue)
    }

    /// Moves the clock on by `duration`; a negative one is ignored.
    public func advance(by duration: MediaTime) {
        guard let step = duration.nanoseconds, step >= 0 else { return }
        move(to: goal.add(step, ordering: .acquiringAndReleasing).newValue)
    }

    private func move(to target: Int64) {
        AlarmThread.shared.waitForJobs()
        fireAlarms(by: target)
        now.max(target, ordering: .acquiringAndReleasing)
        // Those that another thread has set just before the clock got there.
        fireAlarms(by: target)
    }

    private func fireAlarms(by target: Int64) {
        while let alarm = alarms.withLock({ $0.takeFirst(by: target) }) {
            now.max(alarm.time, ordering: .acquiringAndReleasing)
            alarm.body()
        }
    }
}

extension ManualClock: AlarmScheduler {
    var alarmTime: Int64 { now.load(ordering: .acquiring) }

    func setAlarm(_ key: AlarmKey, at time: Int64, body: @escaping @Sendable () -> Void) {
        alarms.withLock { $0.set(key, at: time, body: body) }
        // Read after it was set: the clock gets there either before, and this fires it, or after,
        // and then it is found.
        guard alarmTime >= time else { return }
        AlarmThread.shared.perform { self.fireAlarms(by: time) }
    }

    func cancelAlarm(_ key: AlarmKey) { alarms.withLock { $0.cancel(key) } }
}

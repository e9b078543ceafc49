// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that moves only when the program advances it.
///
/// An object that is given a manual clock uses it as the host clock, so for that object the time of
/// the manual clock *is* host time. Tests and offline rendering advance the clock from frame to
/// frame, and get the same frames however fast they run.
///
/// Timers of timebases on this clock fire within `advance`, on the calling thread. While a timer
/// fires, the clock reads exactly the timer's time, so every run is the same. A timer that is set
/// for a time already reached fires at once, on a thread of the library, as with other clocks.
/// Before `advance` moves the clock, it waits until such timers have fired and observers of
/// timebases have received all earlier events.
///
/// - Concurrency: any thread. Each reading is a single atomic operation.
public final class ManualClock: MediaClock {
    private let now: Atomic<Int64>
    /// The time that the clock reads after all moves in progress.
    private let goal: Atomic<Int64>
    private let alarms = Mutex(AlarmList())

    /// Creates a clock that reads `time`, which is stored in nanoseconds.
    public init(time: MediaTime = .zero) {
        now = Atomic(time.nanoseconds ?? 0)
        goal = Atomic(time.nanoseconds ?? 0)
    }

    /// The current time, in whole nanoseconds.
    public var time: MediaTime { MediaTime(nanoseconds: now.load(ordering: .acquiring)) }
    /// Returns `hostTime`.
    public func time(atHostTime hostTime: MediaTime) -> MediaTime { hostTime }
    /// Returns `time`.
    public func hostTime(at time: MediaTime) -> MediaTime { time }

    /// Moves the clock to `time` and fires the timers that are due until then, in order. The clock
    /// does not run backwards: if `time` is in the past, only timers that were already due fire.
    public func advance(to time: MediaTime) {
        guard let target = time.nanoseconds else { return }
        move(to: goal.max(target, ordering: .acquiringAndReleasing).newValue)
    }

    /// Moves the clock forward by `duration`; ignores a negative one.
    public func advance(by duration: MediaTime) {
        guard let step = duration.nanoseconds, step >= 0 else { return }
        move(to: goal.add(step, ordering: .acquiringAndReleasing).newValue)
    }

    private func move(to target: Int64) {
        AlarmThread.shared.waitForJobs()
        fireAlarms(by: target)
        now.max(target, ordering: .acquiringAndReleasing)
        // Fires the alarms that another thread set just before the clock reached its new time.
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
        // The clock is read after the alarm was set. If the clock has already reached the alarm,
        // the code below fires it; otherwise `advance` will find it.
        guard alarmTime >= time else { return }
        AlarmThread.shared.perform { self.fireAlarms(by: time) }
    }

    func cancelAlarm(_ key: AlarmKey) { alarms.withLock { $0.cancel(key) } }
}

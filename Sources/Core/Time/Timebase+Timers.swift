// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Timebase: TimerOwner {
    /// A timer as its timebase stores it.
    struct TimerEntry {
        var fireTime: MediaTime
        var handler: CancellableHandler<MediaTime>
        /// A Boolean value that indicates whether the `TimebaseTimer` was released. If so, the
        /// timer is removed after it fires.
        var isDropped = false
        /// The scheduler in which the timer's alarm is set; nil if no alarm is set.
        var scheduler: (any AlarmScheduler)?
    }

    /// Adds a timer that fires at `time`; see `TimebaseTimer`.
    ///
    /// On a `ManualClock`, the handler runs within `advance`. On other clocks, it runs on a thread
    /// of the library that all timers share, so it must return quickly or dispatch its work to
    /// another thread.
    ///
    /// - Parameters:
    ///   - time: The time on this timeline. If the time is not numeric, the timer is idle until
    ///     `fireTime` is set.
    ///   - handler: The closure that is called with the time for which the timer was set.
    @discardableResult
    public func addTimer(
        at time: MediaTime, handler: @escaping @Sendable (MediaTime) -> Void
    ) -> TimebaseTimer {
        let handler = CancellableHandler(handler)
        let number = state.withLock { state in
            state.lastTimer += 1
            state.timers[state.lastTimer] = TimerEntry(fireTime: time, handler: handler)
            schedule(state.lastTimer, &state)
            return state.lastTimer
        }
        return TimebaseTimer(self, number: number, handler: handler)
    }

    func fireTime(ofTimer number: Int) -> MediaTime {
        state.withLock { $0.timers[number]?.fireTime ?? .invalid }
    }

    func setFireTime(_ time: MediaTime, ofTimer number: Int) {
        state.withLock { state in
            guard state.timers[number] != nil else { return }
            state.timers[number]?.fireTime = time
            schedule(number, &state)
        }
    }

    func removeTimer(_ number: Int) {
        state.withLock { state in
            let entry = state.timers.removeValue(forKey: number)
            entry?.scheduler?.cancelAlarm(alarmKey(number))
        }
    }

    func timerWasDropped(_ number: Int) {
        state.withLock { state in
            state.timers[number]?.isDropped = true
            guard let entry = state.timers[number], !entry.fireTime.isNumeric else { return }
            state.timers[number] = nil
        }
    }

    func scheduleTimers(_ state: inout State) {
        for number in state.timers.keys { schedule(number, &state) }
    }

    func cancelAlarms() {
        state.withLock { state in
            for (number, entry) in state.timers {
                entry.scheduler?.cancelAlarm(alarmKey(number))
            }
        }
    }

    private func alarmKey(_ number: Int) -> AlarmKey {
        AlarmKey(owner: ObjectIdentifier(self), number: number)
    }

    /// Sets the alarm to the moment when the timeline, at its current rate, reaches the timer's
    /// time.
    private func schedule(_ number: Int, _ state: inout State) {
        guard let entry = state.timers[number] else { return }
        let clock = ultimateMasterClock
        let scheduler: any AlarmScheduler = (clock as? ManualClock) ?? AlarmThread.shared
        if let previous = entry.scheduler { previous.cancelAlarm(alarmKey(number)) }
        state.timers[number]?.scheduler = nil
        guard var due = alarmTime(for: entry.fireTime) else { return }
        // A drifting clock may reach the time earlier than a long-term prediction says, so check
        // again before then.
        let wait = due.subtractingReportingOverflow(scheduler.alarmTime).partialValue
        if wait > 1_000_000_000, !(clock is HostClock), !(clock is ManualClock) {
            due -= wait / 1000
        }
        state.timers[number]?.scheduler = scheduler
        scheduler.setAlarm(alarmKey(number), at: due) { [weak self] in self?.alarmWentOff(number) }
    }

    private func alarmWentOff(_ number: Int) {
        let fired = state.withLock { state -> (CancellableHandler<MediaTime>, MediaTime)? in
            guard let entry = state.timers[number], let scheduler = entry.scheduler else {
                return nil
            }
            guard let due = alarmTime(for: entry.fireTime), due <= scheduler.alarmTime else {
                schedule(number, &state)
                return nil
            }
            state.timers[number]?.scheduler = nil
            state.timers[number]?.fireTime = .invalid
            if entry.isDropped { state.timers[number] = nil }
            return (entry.handler, entry.fireTime)
        }
        if let (handler, time) = fired { handler.call(time) }
    }

    /// Returns the host time, in nanoseconds, at which the timebase reaches `time`. Returns nil if
    /// the timebase never reaches it at its current rate.
    private func alarmTime(for time: MediaTime) -> Int64? {
        let anchor = self.anchor
        let master = anchor.box.master
        guard let masterTime = anchor.masterTime(at: time) else { return nil }
        // While the timeline is held it does not move, though its line may have passed the time.
        let isHeld = anchor.holds && masterTime < anchor.masterTime
        guard let hostTime = master.hostTime(at: isHeld ? anchor.masterTime : masterTime) else {
            return nil
        }
        let nanoseconds = hostTime.converted(
            toTimescale: 1_000_000_000, method: .roundTowardPositiveInfinity)
        guard nanoseconds.isNumeric else { return nil }
        // Clocks read whole nanoseconds, and rounding may have made `nanoseconds` too early.
        let reached = self.time(atHostTime: nanoseconds)
        let isShort = effectiveRate > 0 ? reached < time : reached > time
        return isShort && !isHeld && nanoseconds.value < .max
            ? nanoseconds.value + 1 : nanoseconds.value
    }
}

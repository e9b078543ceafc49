// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads

/// The thread that runs all timers and notifications of timebases on real clocks, one at a time.
///
/// The thread is started with the first timer or notification, and sleeps while none is due.
final class AlarmThread: AlarmScheduler {
    static let shared = AlarmThread()

    private struct State {
        var alarms = AlarmList()
        var jobs: [@Sendable () -> Void] = []
        /// The number of jobs that have not finished.
        var unfinishedJobs = 0
        var thread: WorkerThread?
        /// The number of alarms and jobs that were added so far. If the number changes after the
        /// thread has looked for work, the thread looks again.
        var changes = 0
    }
    private let state = Monitor(State())

    var alarmTime: Int64 { HostClock.nanoseconds }

    func setAlarm(_ key: AlarmKey, at time: Int64, body: @escaping @Sendable () -> Void) {
        change { $0.alarms.set(key, at: time, body: body) }
    }

    func cancelAlarm(_ key: AlarmKey) {
        // The thread is not woken for this change: if it wakes up later for the cancelled alarm,
        // that is harmless.
        state.withLock { $0.alarms.cancel(key) }
    }

    /// Runs `job` after all earlier jobs.
    func perform(_ job: @escaping @Sendable () -> Void) {
        change { state in
            state.jobs.append(job)
            state.unfinishedJobs += 1
        }
    }

    /// Waits until all jobs added so far have run. Returns at once if called on the alarm thread
    /// itself.
    func waitForJobs() {
        let isOver = state.withLock { $0.unfinishedJobs == 0 || $0.thread?.isCurrent == true }
        if isOver { return }
        let isDone = Monitor(false)
        perform { isDone.change { $0 = true } }
        isDone.wait { $0 ? true : nil }
    }

    private func change(_ body: (inout State) -> Void) {
        state.change { state in
            body(&state)
            state.changes += 1
            if state.thread == nil {
                state.thread = WorkerThread(name: "ph-timer") { AlarmThread.shared.run() }
            }
        }
    }

    private func run() {
        while true {
            var (due, changes): (Int64?, Int) = (nil, 0)
            let job = state.withLock { state -> (@Sendable () -> Void)? in
                if !state.jobs.isEmpty {
                    let job = state.jobs.removeFirst()
                    return {
                        job()
                        AlarmThread.shared.state.withLock { $0.unfinishedJobs -= 1 }
                    }
                }
                if let alarm = state.alarms.takeFirst(by: HostClock.nanoseconds) {
                    return alarm.body
                }
                (due, changes) = (state.alarms.earliestTime, state.changes)
                return nil
            }
            if let job {
                job()
            } else if let due {
                let seen = changes
                _ = state.wait(nanoseconds: due - HostClock.nanoseconds) {
                    $0.changes != seen ? true : nil
                }
            } else {
                let seen = changes
                state.wait { $0.changes != seen ? true : nil }
            }
        }
    }
}

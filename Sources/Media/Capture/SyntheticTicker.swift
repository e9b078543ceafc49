// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadTime
import Synchronization

/// A timer that calls a closure whenever a simulated device has to deliver. The calls are numbered
/// from 0.
///
/// On a manual clock, a timebase's timer calls the closure, on the thread that advances the clock.
/// On other clocks, a separate thread calls it.
///
/// - Concurrency: any thread may stop it.
/// - Ownership: retains the closure until it is released.
final class SyntheticTicker: Sendable {
    private struct State {
        var next = 0
        var isStopped = false
        var timer: TimebaseTimer?
    }

    /// The time of the clock at the start.
    let start: MediaTime
    private let clock: any MediaClock
    private let timebase: Timebase
    private let time: @Sendable (Int) -> MediaTime
    private let body: @Sendable (Int) -> Void
    private let state = Monitor(State())
    private let thread = Mutex<WorkerThread?>(nil)

    /// Starts the calls.
    ///
    /// - Parameters:
    ///   - time: A function that returns the time, from the start, of the call with the given
    ///     number.
    ///   - body: The closure, which receives the number of the call.
    init(
        _ clock: any MediaClock, thread name: String, time: @escaping @Sendable (Int) -> MediaTime,
        body: @escaping @Sendable (Int) -> Void
    ) {
        self.clock = clock
        self.time = time
        self.body = body
        start = clock.time
        timebase = Timebase(masterClock: clock)
        timebase.setRate(1, time: .zero, atMasterTime: start)
        if clock is ManualClock {
            setTimer()
        } else {
            let thread = WorkerThread(name: name) { [weak self] in
                while let ticker = self, ticker.waitForNext() { ticker.tick() }
            }
            self.thread.withLock { $0 = thread }
        }
    }

    private func setTimer() {
        let number = state.withLock { $0.next }
        let timer = timebase.addTimer(at: time(number)) { [weak self] _ in
            guard let self else { return }
            tick()
            if !state.withLock({ $0.isStopped }) { setTimer() }
        }
        let isStopped = state.withLock { state in
            state.timer = timer
            return state.isStopped
        }
        if isStopped { timer.cancel() }
    }

    /// Waits until the next call is due. Returns false once the ticker is stopped.
    private func waitForNext() -> Bool {
        while true {
            let due = clock.hostTime(at: start + time(state.withLock { $0.next }))
            let rest = (due - HostClock.shared.time).nanoseconds ?? 0
            if rest <= 0 { return !state.withLock { $0.isStopped } }
            let isStopped = state.wait(nanoseconds: rest) { $0.isStopped ? true : nil }
            if isStopped == true { return false }
        }
    }

    private func tick() {
        let number = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        body(number)
    }

    /// Ends the calls, and waits for a call that is in progress on another thread. Returns false if
    /// the calls had already been ended.
    @discardableResult
    func stop() -> Bool {
        let (isFirst, timer) = state.change { state -> (Bool, TimebaseTimer?) in
            defer { state.isStopped = true }
            return (!state.isStopped, state.timer)
        }
        timer?.cancel()
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread, !thread.isCurrent { thread.join() }
        return isFirst
    }
}

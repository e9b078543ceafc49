// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization

/// Follows the timeline of a player's current item, and tells when it passes marks.
///
/// It keeps where the timeline was last seen, and which way it went. Each event takes it further:
/// a timer at the next mark, a change of rate, both of which lie on the way that was played, or a
/// jump, from which on the way begins anew. So a stop a moment after a mark loses nothing, and a
/// jump takes no mark for passed.
///
/// - Concurrency: any thread; events of a timebase come one at a time.
final class TimeObserver: Sendable {
    private struct State {
        /// Identifies the timebase followed: what comes of a former one is not heeded.
        var identifier = 0
        var timebase: Timebase?
        var observation: TimebaseObservation?
        var timer: TimebaseTimer?
        /// Where the timeline was last seen, and the direction from there.
        var position = MediaTime.invalid
        var rate = 0.0
        /// What the handler has not been told yet.
        var waiting: [MediaTime] = []
        var isCancelled = false
    }

    private let marks: TimeMarks
    private let tellsChanges: Bool
    private let gate: ObservationGate
    private let queue: ObservationQueue
    private let handler: @Sendable (MediaTime) -> Void
    private let state = Mutex(State())

    init(
        marks: TimeMarks, tellsChanges: Bool, gate: ObservationGate, queue: ObservationQueue,
        handler: @escaping @Sendable (MediaTime) -> Void
    ) {
        self.marks = marks
        self.tellsChanges = tellsChanges
        self.gate = gate
        self.queue = queue
        self.handler = handler
    }

    /// Follows the timeline that there is, or none, which is no change, and those that take its place
    /// meanwhile: another thread may have followed them before this comes to follow what it has read.
    func begin(_ read: () -> Timebase?) {
        var timebase = read()
        follow(timebase, isFirst: true)
        while true {
            let present = read()
            if present === timebase { return }
            timebase = present
            follow(timebase)
        }
    }

    /// Follows another timeline from now on, or none.
    ///
    /// - Parameter isFirst: whether it is not a change that there is another.
    func follow(_ timebase: Timebase?, isFirst: Bool = false) {
        let former = state.withLock { state -> (TimebaseObservation?, TimebaseTimer?)? in
            if state.timebase === timebase || state.isCancelled { return nil }
            state.identifier += 1
            defer {
                state.timebase = timebase
                (state.observation, state.timer) = (nil, nil)
                (state.position, state.rate) = (.invalid, 0)
            }
            return (state.observation, state.timer)
        }
        guard let former else { return }
        former.0?.cancel()
        former.1?.cancel()
        guard let timebase else { return }
        let identifier = state.withLock { $0.identifier }
        let timer = timebase.addTimer(at: .invalid) { [weak self] time in
            self?.move(to: time, identifier)
        }
        let observation = timebase.observe { [weak self] event in self?.heed(event, identifier) }
        let isKept = state.withLock { state in
            guard state.identifier == identifier, !state.isCancelled else { return false }
            state.timer = timer
            state.observation = observation
            let (time, rate) = timebase.timeAndRate
            // Unless an event has come in between.
            if !state.position.isValid {
                // What follows without a gap has begun before anybody came to call it current.
                let start = isFirst ? nil : timebase.startTime
                (state.position, state.rate) = (start ?? time, rate)
                pass(to: time, &state)
            }
            if tellsChanges, !isFirst { tell([state.position], &state) }
            setTimer(&state)
            return true
        }
        if !isKept {
            timer.cancel()
            observation.cancel()
        }
    }

    func cancel() {
        let (observation, timer) = state.withLock { state in
            defer { (state.timebase, state.observation, state.timer) = (nil, nil, nil) }
            state.isCancelled = true
            return (state.observation, state.timer)
        }
        observation?.cancel()
        timer?.cancel()
    }

    // MARK: - Events of the timebase

    private func heed(_ event: Timebase.Event, _ identifier: Int) {
        state.withLock { state in
            guard state.identifier == identifier, !state.isCancelled else { return }
            switch event {
            case .timeJumped(let time):
                state.position = time
                if tellsChanges { tell([time], &state) }
            case .effectiveRateChanged(let rate, let time):
                pass(to: time, &state)
                state.rate = rate
                if tellsChanges, state.waiting.last != time { tell([time], &state) }
            }
            setTimer(&state)
        }
    }

    /// The timer has gone off at a mark.
    private func move(to time: MediaTime, _ identifier: Int) {
        state.withLock { state in
            guard state.identifier == identifier, !state.isCancelled else { return }
            pass(to: time, &state)
            setTimer(&state)
        }
    }

    private func pass(to time: MediaTime, _ state: inout State) {
        let isOnWay = state.rate > 0 ? time > state.position : time < state.position
        guard state.rate != 0, state.position.isNumeric, isOnWay else { return }
        tell(marks.passed(from: state.position, to: time), &state)
        state.position = time
    }

    /// Waits for the next mark on the way.
    private func setTimer(_ state: inout State) {
        guard let timer = state.timer else { return }
        timer.fireTime =
            state.rate == 0
            ? .invalid : marks.next(after: state.position, isForward: state.rate > 0) ?? .invalid
    }

    // MARK: - The handler

    private func tell(_ times: [MediaTime], _ state: inout State) {
        for time in times {
            if state.waiting.count < TimeMarks.limit {
                state.waiting.append(time)
                queue.async { [self] in tellNext() }
            } else {
                state.waiting[TimeMarks.limit - 1] = time
            }
        }
    }

    /// On the handler's queue.
    private func tellNext() {
        let time = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        guard let time else { return }
        gate.pass { handler(time) }
    }
}

extension Timebase {
    /// Where it stood before it began to run, while it runs since; nil where that is not known.
    fileprivate var startTime: MediaTime? {
        let clock = ultimateMasterClock
        return reading(at: clock.time, of: clock).holdTime
    }
}

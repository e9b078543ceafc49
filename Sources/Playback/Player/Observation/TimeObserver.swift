// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization

/// An observer that reports when the timeline of a player's current item passes marks.
///
/// The observer stores the last known position and direction of the timeline. Each event moves the
/// position. The events are a timer at the next mark, a change of the rate, and a jump. The times
/// of the timer and of a change of the rate are on the path that was played; a jump begins a new
/// path. A stop just after a mark therefore does not lose the mark, and a jump does not count as
/// passing marks.
///
/// - Concurrency: any thread. Events of a timebase come one at a time.
final class TimeObserver: Sendable {
    /// Returns the time at which playback ends at a rate; nil if it is not known.
    typealias End = @Sendable (_ rate: Double) -> MediaTime?

    private struct State {
        /// The identifier of the timebase that is followed. Events of a previous timebase are
        /// ignored.
        var identifier = 0
        var timebase: Timebase?
        var observation: TimebaseObservation?
        var timer: TimebaseTimer?
        /// The last known position of the timeline, and its rate from that position on.
        var position = MediaTime.invalid
        var rate = 0.0
        /// The end of playback, which the timeline passes for a moment before it is stopped there.
        var end: End?
        /// The times that have not been reported to the handler yet.
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

    /// Begins to follow the current timeline, if there is one. This does not count as a change. The
    /// timeline is read again afterwards, because another thread may have changed it in the
    /// meantime.
    func begin(_ read: () -> (Timebase, End)?) {
        var followed = read()
        follow(followed?.0, end: followed?.1, isFirst: true)
        while true {
            let present = read()
            if present?.0 === followed?.0 { return }
            followed = present
            follow(followed?.0, end: followed?.1)
        }
    }

    /// Follows another timeline from now on; nil for no timeline.
    ///
    /// - Parameters:
    ///   - end: Returns where playback of the timeline ends; nil if it does not end.
    ///   - isFirst: A Boolean value that indicates whether this does not count as a change.
    ///   - takeover: The time until which the former timeline passed the same marks; `invalid` if
    ///     it passed none of them.
    func follow(
        _ timebase: Timebase?, end: End? = nil, isFirst: Bool = false,
        since takeover: MediaTime = .invalid
    ) {
        let former = state.withLock { state -> (TimebaseObservation?, TimebaseTimer?)? in
            if state.timebase === timebase || state.isCancelled { return nil }
            state.identifier += 1
            defer {
                (state.timebase, state.end) = (timebase, end)
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
            let limit = end?(rate)
            // This is skipped if an event came in between.
            if !state.position.isValid {
                // A timeline that follows another timeline without a gap has begun before it
                // becomes the current timeline.
                let begun = takeover.isNumeric ? min(takeover, time) : timebase.startTime
                let start = isFirst ? nil : begun
                (state.position, state.rate) = (start ?? time, rate)
                pass(to: within(limit, time, rate), &state)
            }
            if tellsChanges, !isFirst { tell([state.position], &state) }
            setTimer(&state, limit, from: time)
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
            let reached: MediaTime
            switch event {
            case .timeJumped(let time):
                reached = time
                // A timeline that has been stopped just after its end returns there.
                if state.position == time, state.rate == 0 { return }
                state.position = time
                if tellsChanges { tell([time], &state) }
            case .effectiveRateChanged(let rate, let time):
                reached = time
                let time = within(state.end?(state.rate), time, state.rate)
                pass(to: time, &state)
                state.rate = rate
                if tellsChanges, state.waiting.last != time { tell([time], &state) }
            }
            setTimer(&state, state.end?(state.rate), from: reached)
        }
    }

    /// Handles the firing of the timer that was set to a mark.
    private func move(to time: MediaTime, _ identifier: Int) {
        state.withLock { state in
            guard state.identifier == identifier, !state.isCancelled else { return }
            let limit = state.end?(state.rate)
            pass(to: within(limit, time, state.rate), &state)
            setTimer(&state, limit, from: time)
        }
    }

    /// Returns a time that playback at a rate has reached, but none beyond its end.
    private func within(_ end: MediaTime?, _ time: MediaTime, _ rate: Double) -> MediaTime {
        guard let end, end.isNumeric, rate != 0 else { return time }
        return rate > 0 ? min(time, end) : max(time, end)
    }

    private func pass(to time: MediaTime, _ state: inout State) {
        let isOnWay = state.rate > 0 ? time > state.position : time < state.position
        guard state.rate != 0, state.position.isNumeric, isOnWay else { return }
        tell(marks.passed(from: state.position, to: time), &state)
        state.position = time
    }

    /// The time after which a mark beyond the end is examined again, because the end may move.
    private static let patience = MediaTime(value: 1, timescale: 100)

    /// Sets the timer of a timeline that has reached a time to the next mark.
    private func setTimer(_ state: inout State, _ end: MediaTime?, from reached: MediaTime) {
        guard let timer = state.timer else { return }
        let isForward = state.rate > 0
        guard state.rate != 0, let next = marks.next(after: state.position, isForward: isForward)
        else {
            timer.fireTime = .invalid
            return
        }
        if within(end, next, state.rate) == next {
            timer.fireTime = next
        } else {
            timer.fireTime =
                isForward
                ? max(next, reached + Self.patience) : min(next, reached - Self.patience)
        }
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

    /// Reports the next time. This method runs on the handler's queue.
    private func tellNext() {
        let time = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        guard let time else { return }
        gate.pass { handler(time) }
    }
}

extension Timebase {
    /// The time at which the timeline was held before it began to run; nil if it was not held.
    fileprivate var startTime: MediaTime? {
        let clock = ultimateMasterClock
        return reading(at: clock.time, of: clock).holdTime
    }
}

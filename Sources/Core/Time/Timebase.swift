// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A timeline that the program controls: it has a rate and an anchor on a clock or another
/// timebase.
///
/// At rate 0 the time is stopped, at 1 it runs in step with its master, at 2 twice as fast, at −1
/// backwards. The anchor states that the timeline reads `time` when the master reads `masterTime`;
/// all other times, past and future, follow from it and the rate.
///
/// Arithmetic is rational. A timebase that is anchored at a frame's time reads exactly that time at
/// the anchor, and exact multiples of frames wherever the result fits `MediaTime`.
///
///     let timebase = Timebase(masterClock: HostClock.shared)
///     timebase.addTimer(at: MediaTime(value: 10, timescale: 1)) { _ in stop() }
///     timebase.setRate(2, time: .zero, atMasterTime: HostClock.shared.time)
///     timebase.time                     // 10 s, and `stop` is called, 5 s later
///
/// - Concurrency: any thread. Reading takes no lock and never waits for a writer (`AnchorStore`);
///   writers exclude each other by a short lock. Handlers of timers and events run on a thread of
///   the library or within `ManualClock.advance`, never within a call that changes the timebase.
/// - Ownership: the timebase keeps its master alive. It releases a replaced master at the next
///   change.
/// - Corresponds to: `CMTimebase`.
public final class Timebase: Sendable {
    /// A consistent reading of a timebase at one moment.
    package struct Reading: Sendable {
        /// The time that follows from the anchor and the rate, whether or not the timeline is held.
        package var time: MediaTime
        /// The rate relative to the clock at the end of the chain of masters.
        package var rate: Double
        /// The time at which the timeline is held until `time` reaches it; nil if the timeline is
        /// not held. If `time` is before `holdTime`, in the direction of the rate, playback has not
        /// started yet.
        package var holdTime: MediaTime?
    }

    /// The state that only writers use.
    struct State {
        /// The box of the anchor's master. This reference keeps the master alive.
        var box: MasterBox
        /// Replaced boxes that a reader may be about to retain.
        var retired: [MasterBox] = []
        var timers: [Int: TimerEntry] = [:]
        var lastTimer = 0
        var observers: [CancellableHandler<Event>] = []
        /// The timebases whose master is this timebase.
        var dependents: [ObjectIdentifier: Dependent] = [:]
    }

    struct Dependent {
        weak var timebase: Timebase?
    }

    private let anchors: AnchorStore<MasterBox>
    let state: Mutex<State>
    /// A lock that is held while the master is replaced.
    private let mastering = Mutex(())

    /// Creates a timebase at rate 0 and time zero.
    public init(master: Master) {
        let box = MasterBox(master)
        state = Mutex(State(box: box))
        let anchor = Anchor(time: .zero, masterTime: .zero, rate: 0, box: box)
        anchors = AnchorStore(anchor.line, owner: box)
        adopt(master)
    }

    /// Creates a timebase on a clock, at rate 0 and time zero.
    ///
    /// - Corresponds to: `CMTimebaseCreateWithMasterClock`.
    public convenience init(masterClock: any MediaClock) { self.init(master: .clock(masterClock)) }

    deinit {
        abandon(state.withLock { $0.box.master })
        cancelAlarms()
    }

    // MARK: - Reading

    /// The current anchor. Reading it retains the box of the master.
    @inline(__always)
    var anchor: Anchor {
        let (line, box) = anchors.read()
        return Anchor(line, box: box)
    }

    /// The line of the current anchor, without reference counting.
    private var line: AnchorLine { anchors.readLine() }

    /// The current time.
    public var time: MediaTime {
        let anchor = self.anchor
        if anchor.rate == 0 { return anchor.time }
        return anchor.time(atMasterTime: anchor.box.master.time)
    }

    /// The current time and rate, read together.
    ///
    /// - Corresponds to: `CMTimebaseGetTimeAndRate`.
    package var timeAndRate: (time: MediaTime, rate: Double) {
        let anchor = self.anchor
        return (anchor.time(atMasterTime: anchor.box.master.time), anchor.rate)
    }

    /// Returns the time when the host clock reads `hostTime`.
    public func time(atHostTime hostTime: MediaTime) -> MediaTime {
        let anchor = self.anchor
        if anchor.rate == 0 { return anchor.time }
        return anchor.time(atMasterTime: anchor.box.master.time(atHostTime: hostTime))
    }

    /// Returns a consistent reading at the moment when `clock` reads `clockTime`. If `clock` is at
    /// the end of the chain of masters, the reading is exact, because no conversion over host time
    /// is needed; the audio callback uses it to find the samples to deliver. If `clock` is the
    /// master itself, no reference counting takes place.
    package func reading(at clockTime: MediaTime, of clock: any MediaClock) -> Reading {
        let line = self.line
        guard line.clock != ObjectIdentifier(clock) else {
            return Reading(
                time: line.time(atMasterTime: clockTime, heeding: false), rate: line.rate,
                holdTime: line.holds ? line.time : nil)
        }
        let anchor = self.anchor
        switch anchor.box.master {
        case .clock(let master):
            let masterTime = clock.convert(clockTime, to: master)
            return Reading(
                time: anchor.time(atMasterTime: masterTime, heeding: false), rate: anchor.rate,
                holdTime: anchor.holds ? anchor.time : nil)
        case .timebase(let master):
            let reading = master.reading(at: clockTime, of: clock)
            // While the master is held, this timebase is held too, regardless of its own hold.
            let holdTime = reading.holdTime.map { anchor.time(atMasterTime: $0) }
            return Reading(
                time: anchor.time(atMasterTime: reading.time, heeding: false),
                rate: anchor.rate * reading.rate,
                holdTime: holdTime ?? (anchor.holds ? anchor.time : nil))
        }
    }

    /// Returns the time of the timeline when the master reads `masterTime`, computed from the
    /// current anchor and rate even if the timeline is held at that moment. Audio uses this before
    /// a future start to determine how far away the start is.
    public func time(atMasterTime masterTime: MediaTime) -> MediaTime {
        line.time(atMasterTime: masterTime, heeding: false)
    }

    /// Returns the master's time at which the timeline reads `time`, computed from the current
    /// anchor and rate. Returns nil if the rate is 0 or the time is not numeric.
    public func masterTime(at time: MediaTime) -> MediaTime? {
        line.masterTime(at: time)
    }

    /// Returns the host time at which the timebase reads `time`. Returns nil if the rate is 0 or
    /// the time is not numeric.
    public func hostTime(at time: MediaTime) -> MediaTime? {
        let anchor = self.anchor
        return anchor.masterTime(at: time).flatMap { anchor.box.master.hostTime(at: $0) }
    }

    /// The rate relative to the clock at the end of the chain of masters.
    ///
    /// - Corresponds to: `CMTimebaseGetEffectiveRate`.
    public var effectiveRate: Double {
        let anchor = self.anchor
        guard case .timebase(let master) = anchor.box.master else { return anchor.rate }
        return anchor.rate * master.effectiveRate
    }

    /// The clock at the end of the chain of masters.
    ///
    /// - Corresponds to: `CMTimebaseCopyUltimateMasterClock`.
    public var ultimateMasterClock: any MediaClock {
        switch anchor.box.master {
        case .clock(let clock): clock
        case .timebase(let timebase): timebase.ultimateMasterClock
        }
    }

    /// Returns whether `clock` is at the end of the chain of masters.
    package func isDriven(by clock: any MediaClock) -> Bool {
        let isMaster = line.clock == ObjectIdentifier(clock)
        return isMaster || ultimateMasterClock === clock
    }

    // MARK: - Changing

    /// The clock or timebase from which this timebase derives its time. Setting it keeps the time
    /// continuous and does not change the time that remains until a future start.
    ///
    /// - Precondition: the new master does not derive its time from this timebase.
    /// - Corresponds to: `CMTimebaseCopyMaster`, `CMTimebaseSetMasterClock`,
    ///   `CMTimebaseSetMasterTimebase`.
    public var master: Master {
        get { anchor.box.master }
        set {
            precondition(
                !newValue.chain.contains { $0.isIdentical(to: .timebase(self)) },
                "a timebase cannot be its own master")
            // Masters are replaced one after another, so that each master has an exact list of its
            // dependents.
            mastering.withLock { _ in setMaster(newValue) }
        }
    }

    private func setMaster(_ newValue: Master) {
        let old = anchor.box.master
        guard !newValue.isIdentical(to: old) else { return }
        // The master must be adopted before the alarms are computed from it, so that its later
        // changes are noticed.
        adopt(newValue)
        change(isJump: false) { anchor, _ in
            let (before, now) = (anchor.box.master.time, newValue.time)
            let start = anchor.masterTime - before
            if anchor.holds, start > .zero {
                anchor.masterTime = now + start
            } else {
                anchor.time = anchor.time(atMasterTime: before)
                anchor.masterTime = now
                anchor.holds = false
            }
            anchor.box = MasterBox(newValue)
        }
        abandon(old)
    }

    /// The rate relative to the master. Setting it keeps the time continuous. A rate that is not
    /// finite counts as 0.
    ///
    /// - Corresponds to: `CMTimebaseGetRate`, `CMTimebaseSetRate`.
    public var rate: Double {
        get { line.rate }
        set {
            change(isJump: false) { anchor, _ in
                let now = anchor.box.master.time
                anchor.time = anchor.time(atMasterTime: now)
                anchor.masterTime = now
                anchor.rate = newValue.isFinite ? newValue : 0
                anchor.holds = false
            }
        }
    }

    /// Sets the current time and keeps the rate.
    ///
    /// - Corresponds to: `CMTimebaseSetTime`.
    public func setTime(_ time: MediaTime) {
        change(isJump: true) { anchor, _ in
            anchor.time = time
            anchor.masterTime = anchor.box.master.time
            anchor.holds = false
        }
    }

    /// Sets the time that the timeline reads when the master reads `masterTime`, and keeps the
    /// rate.
    ///
    /// - Corresponds to: `CMTimebaseSetAnchorTime`.
    public func setTime(_ time: MediaTime, atMasterTime masterTime: MediaTime) {
        change(isJump: true) { anchor, _ in
            anchor.time = time
            anchor.masterTime = masterTime
            anchor.holds = false
        }
    }

    /// Sets the rate and the anchor together: the timeline reads `time` when the master reads
    /// `masterTime`, which may be in the past or the future.
    ///
    /// - Parameters:
    ///   - rate: The rate relative to the master. A rate that is not finite counts as 0.
    ///   - holding: A Boolean value that indicates whether the timeline is held at `time` until a
    ///     future anchor is reached, as for a player that starts at a given moment. If not, the
    ///     timeline moves before the anchor too, at the same rate.
    /// - Corresponds to: `CMTimebaseSetRateAndAnchorTime`.
    public func setRate(
        _ rate: Double, time: MediaTime, atMasterTime masterTime: MediaTime,
        holdingUntilThen holding: Bool = false
    ) {
        change(isJump: true) { anchor, _ in
            anchor = Anchor(
                time: time, masterTime: masterTime, rate: rate.isFinite ? rate : 0,
                holds: holding, box: anchor.box)
        }
    }

    /// Changes the timebase; all changes pass through here.
    private func change(
        isJump: Bool, _ body: (inout Anchor, inout State) -> Void
    ) {
        var released: [MasterBox] = []
        let (dependents, isJump, rateChanged) = state.withLock { state in
            let (old, oldRate) = (self.anchor, effectiveRate)
            var anchor = old
            body(&anchor, &state)
            // Setting the time to its current value, for example when a timeline starts, is not a
            // jump.
            let now = isJump ? anchor.box.master.time : .zero
            let isJump = isJump && old.time(atMasterTime: now) != anchor.time(atMasterTime: now)
            anchors.write(anchor.line, owner: anchor.box)
            if anchor.box !== old.box {
                state.retired.append(old.box)
                state.box = anchor.box
            }
            released = releaseRetired(&state)
            let rateChanged = effectiveRate != oldRate
            announceChange(isJump: isJump, rateChanged: rateChanged, &state)
            return (state.dependents, isJump, rateChanged)
        }
        // The boxes and their masters are released without the lock.
        released.removeAll()
        for dependent in dependents.values {
            dependent.timebase?.masterHasChanged(isJump: isJump, rateChanged: rateChanged)
        }
    }

    /// Removes the boxes that readers can no longer reach. If there are many boxes, waits until no
    /// read is in progress. A read takes well under a microsecond, so such a moment comes soon.
    private func releaseRetired(_ state: inout State) -> [MasterBox] {
        guard !state.retired.isEmpty else { return [] }
        while !anchors.isUnread {
            if state.retired.count < 16 { return [] }
            sched_yield()
        }
        defer { state.retired.removeAll() }
        return state.retired
    }

    // MARK: - Masters and dependents

    private func adopt(_ master: Master) {
        guard case .timebase(let timebase) = master else { return }
        timebase.state.withLock {
            $0.dependents[ObjectIdentifier(self)] = Dependent(timebase: self)
        }
    }

    private func abandon(_ master: Master) {
        guard case .timebase(let timebase) = master else { return }
        timebase.state.withLock { _ = $0.dependents.removeValue(forKey: ObjectIdentifier(self)) }
    }

    private func masterHasChanged(isJump: Bool, rateChanged: Bool) {
        // A stopped timebase remains stopped, regardless of its master.
        guard rate != 0 else { return }
        let dependents = state.withLock { state in
            announceChange(isJump: isJump, rateChanged: rateChanged, &state)
            return state.dependents
        }
        for dependent in dependents.values {
            dependent.timebase?.masterHasChanged(isJump: isJump, rateChanged: rateChanged)
        }
    }

    /// Reschedules the timers, and posts events to the observers' thread.
    private func announceChange(isJump: Bool, rateChanged: Bool, _ state: inout State) {
        scheduleTimers(&state)
        // The jump comes first, so that an observer that follows the motion from event to event
        // does not count the jump as played time.
        if isJump { post(.timeJumped(to: time), &state) }
        if rateChanged { post(.effectiveRateChanged(effectiveRate, time: time), &state) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Follows a display whose window system tells of the vsyncs that it is asked for: which to ask for,
/// which has passed, and what to go by while nothing is told.
///
/// The window system's counts start over where a window changes its monitor, and it may fall silent; the
/// sequences of the events go on. Times are host time in nanoseconds, and all of them are handed in.
///
/// - Concurrency: a value; the display link's thread owns it. It never locks, and allocates only where a
///   count starts over.
package struct VsyncFollower {
    /// The period that the display is said to have, in nanoseconds: what the timer goes by, and estimates
    /// start from.
    package var nominalPeriod: Int64 {
        didSet {
            guard let timer, nominalPeriod != oldValue else { return }
            // The timer goes on from the vsync that it has come to.
            let elapsed = (lastSequence - timer.sequence) * oldValue
            self.timer = (timer.origin + elapsed, lastSequence)
        }
    }

    /// The line through the vsyncs that were stamped, by sequence; it tells which vsync has passed when
    /// the program was busy for longer than requests stood.
    private var estimator: VsyncEstimator
    /// Whether the line, and the offset, are of the count that is told now.
    private var isOfPresentCount = false
    /// The latest count that was told; nil before the first answer.
    private var lastCount: UInt64?
    /// The latest vsync of this count that was stamped as it came.
    private var lastStamp: (count: UInt64, sequence: Int64, time: Int64)?
    /// The highest count asked for; nil before the first request.
    private var requested: UInt64?
    /// What to add to the count so that sequences go on over a change of source.
    private var sequenceOffset: Int64 = 0
    /// The vsync last reported.
    private var lastSequence: Int64 = 0
    /// Answers in a row that came for a vsync after the one asked for.
    private var inexactAnswers = 0
    /// When the present wait began.
    private var waitBegan: Int64 = 0
    /// The vsyncs of the timer while nothing is told.
    private var timer: (origin: Int64, sequence: Int64)?
    /// The vsync of the timer at which the count was asked for.
    private var lastProbe: Int64 = 0

    /// How many vsyncs ahead are asked for.
    private static let requestsAhead: UInt64 = 2
    /// How long there may be silence.
    private static let shortestPatience: Int64 = 150_000_000
    /// How often the count is asked for while the timer runs: what was asked for may never come.
    private static let probeInterval: Int64 = 1_000_000_000
    /// What displays take from vsync to vsync.
    private static let periods: ClosedRange<Int64> = 1_000_000...100_000_000

    package init(nominalPeriod: Int64) {
        self.nominalPeriod = max(1, nominalPeriod)
        estimator = VsyncEstimator(nominalPeriod: MediaTime(nanoseconds: self.nominalPeriod))
    }

    private var patience: Int64 { max(Self.shortestPatience, 4 * nominalPeriod) }

    /// Begins to wait for the next vsync: silence is counted from here.
    package mutating func beginWait(at now: Int64) { waitBegan = now }

    // MARK: - Asking

    /// The count of the next vsync to be asked for, so that requests keep standing; nil when enough do.
    /// 0 asks for the present count: what has passed is to be answered at once, with that.
    package mutating func nextRequest() -> UInt64? {
        guard let lastCount else {
            guard requested == nil else { return nil }
            requested = 0
            return 0
        }
        if timer != nil, (lastSequence - lastProbe) * nominalPeriod >= Self.probeInterval {
            lastProbe = lastSequence
            return 0
        }
        // Before a display's first vsync nothing has.
        let passed = UInt64(max(0, lastSequence - sequenceOffset))
        let base = max(lastCount, timer == nil && isOfPresentCount ? passed : 0)
        let next = max(requested ?? 0, base) + 1
        guard next <= base + Self.requestsAhead else { return nil }
        requested = next
        return next
    }

    /// Takes in an answer.
    ///
    /// - Parameters:
    ///   - target: the count that was asked for, as far as the answer has it.
    ///   - count: of the vsync that the answer tells of. A request that comes too late is answered at
    ///     once, by some servers with the present time instead of the vsync's.
    ///   - time: of the vsync, or of the answer.
    package mutating func add(answerTo target: UInt32, count: UInt64, at time: Int64) {
        let isNewCount = lastCount.map { count < $0 || isJump(to: count, at: time) } ?? true
        if isNewCount { (isOfPresentCount, lastStamp) = (false, nil) }
        lastCount = count
        let isExact = target == UInt32(truncatingIfNeeded: count)
        if isNewCount || (timer != nil && !isExact) { requested = count }
        if isExact { inexactAnswers = 0 } else if target != 0 { inexactAnswers += 1 }
        // A server that answers none on time is believed.
        guard isExact || inexactAnswers > 8 else { return }
        if !isOfPresentCount || timer != nil { begin(count, at: time) }
        let sequence = Int64(truncatingIfNeeded: count) &+ sequenceOffset
        lastStamp = (count, sequence, time)
        estimator.add(count: sequence, nanoseconds: time)
    }

    /// Begins a new line, with the vsync after the one last reported.
    private mutating func begin(_ count: UInt64, at time: Int64) {
        // A display that refreshes less often than it did is asked too far ahead, and seems to be silent:
        // its own stamps tell, not what it was said to do.
        let period = measuredPeriod(to: count, at: time) ?? nominalPeriod
        estimator = VsyncEstimator(nominalPeriod: MediaTime(nanoseconds: period))
        sequenceOffset = lastSequence + 1 - Int64(truncatingIfNeeded: count)
        (timer, isOfPresentCount) = (nil, true)
    }

    /// Whether a count is further on than vsyncs can have led to since the last: by more than a second,
    /// and by more than estimates are off over a long rest.
    private func isJump(to count: UInt64, at time: Int64) -> Bool {
        guard isOfPresentCount, let known = estimator.lastCount else { return false }
        let sequence = Int64(truncatingIfNeeded: count) &+ sequenceOffset
        let ahead = Double(sequence &- known) * estimator.period
        let elapsed = Double(time - estimator.nanoseconds(of: known))
        return ahead - elapsed > 1e9 + abs(elapsed) / 10
    }

    /// The period since the last vsync that was stamped; nil where that says nothing, as of a display
    /// that has been asleep.
    private func measuredPeriod(to count: UInt64, at time: Int64) -> Int64? {
        guard let lastStamp, count > lastStamp.count else { return nil }
        let period = (time - lastStamp.time) / Int64(clamping: count - lastStamp.count)
        return Self.periods.contains(period) ? period : nil
    }

    // MARK: - What has come

    /// The latest vsync that has passed by what was told, if it has not been reported yet: the one just
    /// stamped, or a later one that the estimate tells.
    package mutating func takeVsync(at now: Int64) -> VsyncEvent? {
        guard timer == nil, isOfPresentCount, let known = estimator.lastCount else { return nil }
        // A tenth of a period's grace for the answer itself, which is about to come.
        let since = Double(now - estimator.nanoseconds(of: known)) / estimator.period - 0.1
        // After a long rest an estimate is off by several vsyncs, also with an answer that came when it
        // began: the next ones that are asked for tell the present count. Long silence is the watchdog's
        // matter.
        guard since < Double(Self.shortestPatience) / estimator.period else { return nil }
        let sequence = known + max(0, Int64(since))
        guard sequence > lastSequence else { return nil }
        lastSequence = sequence
        let stamp = lastStamp?.sequence == sequence ? lastStamp?.time : nil
        return VsyncEvent(
            hostTime: MediaTime(nanoseconds: stamp ?? estimator.nanoseconds(of: sequence)),
            sequence: sequence, source: .xPresent)
    }

    /// The latest vsync of the timer, which takes over after long silence, if it has not been reported
    /// yet.
    package mutating func takeTimedVsync(at now: Int64) -> VsyncEvent? {
        if timer == nil, now - waitBegan >= patience {
            (timer, lastProbe) = ((now, lastSequence), lastSequence)
        }
        guard let timer else { return nil }
        let passed = timer.sequence + (now - timer.origin) / nominalPeriod
        guard passed > lastSequence else { return nil }
        lastSequence = passed
        let time = timer.origin + (passed - timer.sequence) * nominalPeriod
        return VsyncEvent(
            hostTime: MediaTime(nanoseconds: time), sequence: passed, source: .timer)
    }

    /// When to look again although nothing is told.
    package func nextLook(at now: Int64) -> Int64 {
        guard let timer else { return waitBegan + patience }
        let passed = (now - timer.origin) / nominalPeriod
        return timer.origin + (passed + 1) * nominalPeriod
    }
}

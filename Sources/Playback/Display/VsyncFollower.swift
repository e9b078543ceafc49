// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A follower of a display whose window system reports vsyncs on request. It decides which vsync to
/// request and which vsync has passed, and uses a timer while there are no reports.
///
/// The window system's counts restart when a window moves to another monitor, and reports may stop.
/// The sequence numbers of the events continue in both cases. Times are host times in nanoseconds.
/// The caller passes all of them.
///
/// - Concurrency: a value that the display link's thread owns. It never locks, and allocates only
///   when a count restarts.
package struct VsyncFollower {
    /// The period that the display reports, in nanoseconds. The timer uses it, and it is the
    /// initial value of estimates.
    package var nominalPeriod: Int64 {
        didSet {
            guard let timer, nominalPeriod != oldValue else { return }
            // The timer continues from the vsync that it has reached.
            let elapsed = (lastSequence - timer.sequence) * oldValue
            self.timer = (timer.origin + elapsed, lastSequence)
        }
    }

    /// The line that is fitted to the timestamps of vsyncs, as a function of the sequence number.
    /// If the program was so busy that no requests were pending, the line determines which vsync
    /// has passed.
    private var estimator: VsyncEstimator
    /// A Boolean value that indicates whether the line and the offset are valid for the current
    /// counting. Counting restarts on another monitor, for example.
    private var isOfPresentCount = false
    /// The latest count received; nil before the first answer.
    private var lastCount: UInt64?
    /// The latest vsync whose timestamp was accepted in the current counting.
    private var lastStamp: (count: UInt64, sequence: Int64, time: Int64)?
    /// The highest count requested; nil before the first request.
    private var requested: UInt64?
    /// The difference between the sequence number of a vsync and its count. It keeps sequence
    /// numbers continuous when the source changes.
    private var sequenceOffset: Int64 = 0
    /// The last vsync reported.
    private var lastSequence: Int64 = 0
    /// The number of consecutive answers for a later vsync than the requested vsync.
    private var inexactAnswers = 0
    /// The time at which the current wait began.
    private var waitBegan: Int64 = 0
    /// The vsyncs of the timer, which is used while there are no reports.
    private var timer: (origin: Int64, sequence: Int64)?
    /// The vsync of the timer at which the count was last requested.
    private var lastProbe: Int64 = 0

    /// The number of vsyncs that are requested ahead.
    private static let requestsAhead: UInt64 = 2
    /// The time without reports after which the timer takes over, in nanoseconds.
    private static let shortestPatience: Int64 = 150_000_000
    /// The interval at which the count is requested while the timer runs, in nanoseconds. The
    /// request is repeated, because earlier requests may never be answered.
    private static let probeInterval: Int64 = 1_000_000_000
    /// The plausible periods of displays, in nanoseconds.
    private static let periods: ClosedRange<Int64> = 1_000_000...100_000_000

    package init(nominalPeriod: Int64) {
        self.nominalPeriod = max(1, nominalPeriod)
        estimator = VsyncEstimator(nominalPeriod: MediaTime(nanoseconds: self.nominalPeriod))
    }

    private var patience: Int64 { max(Self.shortestPatience, 4 * nominalPeriod) }

    /// Begins a wait for the next vsync. The time without reports is measured from this call.
    package mutating func beginWait(at now: Int64) { waitBegan = now }

    // MARK: - Requests

    /// Returns the count of the next vsync to request, or nil if enough requests are pending. A
    /// request for count 0 is answered at once, with the current count.
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
        // Before the first vsync of a display, none has passed.
        let passed = UInt64(max(0, lastSequence - sequenceOffset))
        let base = max(lastCount, timer == nil && isOfPresentCount ? passed : 0)
        let next = max(requested ?? 0, base) + 1
        guard next <= base + Self.requestsAhead else { return nil }
        requested = next
        return next
    }

    /// Adds the window system's answer to a request.
    ///
    /// - Parameters:
    ///   - target: The requested count, truncated to 32 bits.
    ///   - count: The count of the vsync in the answer.
    ///   - time: The time of the vsync. A late request is answered at once, and some servers then
    ///     send the time of the answer instead.
    package mutating func add(answerTo target: UInt32, count: UInt64, at time: Int64) {
        let isNewCount = lastCount.map { count < $0 || isJump(to: count, at: time) } ?? true
        if isNewCount { (isOfPresentCount, lastStamp) = (false, nil) }
        lastCount = count
        let isExact = target == UInt32(truncatingIfNeeded: count)
        if isNewCount || (timer != nil && !isExact) { requested = count }
        if isExact { inexactAnswers = 0 } else if target != 0 { inexactAnswers += 1 }
        // If a server never answers on time, its late answers are accepted.
        guard isExact || inexactAnswers > 8 else { return }
        if !isOfPresentCount || timer != nil { begin(count, at: time) }
        let sequence = Int64(truncatingIfNeeded: count) &+ sequenceOffset
        lastStamp = (count, sequence, time)
        estimator.add(count: sequence, nanoseconds: time)
    }

    /// Begins a new line with the vsync that follows the last one reported.
    private mutating func begin(_ count: UInt64, at time: Int64) {
        // If a display refreshes less often than before, requests are too far ahead, and reports
        // seem to stop. The period is therefore measured from the display's timestamps, not taken
        // from its report.
        let period = measuredPeriod(to: count, at: time) ?? nominalPeriod
        estimator = VsyncEstimator(nominalPeriod: MediaTime(nanoseconds: period))
        sequenceOffset = lastSequence + 1 - Int64(truncatingIfNeeded: count)
        (timer, isOfPresentCount) = (nil, true)
    }

    /// Returns whether a count is too large for the time since the last vsync, so that counting
    /// must have restarted. The tolerance is a second, plus a tenth of that time because of
    /// estimation errors.
    private func isJump(to count: UInt64, at time: Int64) -> Bool {
        guard isOfPresentCount, let known = estimator.lastCount else { return false }
        let sequence = Int64(truncatingIfNeeded: count) &+ sequenceOffset
        let ahead = Double(sequence &- known) * estimator.period
        let elapsed = Double(time - estimator.nanoseconds(of: known))
        return ahead - elapsed > 1e9 + abs(elapsed) / 10
    }

    /// Returns the period since the last vsync with a timestamp; nil if it is implausible, for
    /// example after the display was asleep.
    private func measuredPeriod(to count: UInt64, at time: Int64) -> Int64? {
        guard let lastStamp, count > lastStamp.count else { return nil }
        let period = (time - lastStamp.time) / Int64(clamping: count - lastStamp.count)
        return Self.periods.contains(period) ? period : nil
    }

    // MARK: - Events

    /// Returns the latest vsync that has passed according to the reports: the vsync of the last
    /// report, or a later vsync that the estimate places before `now`. Returns nil if that vsync
    /// was returned before.
    package mutating func takeVsync(at now: Int64) -> VsyncEvent? {
        guard timer == nil, isOfPresentCount, let known = estimator.lastCount else { return nil }
        // A tenth of a period is allowed for the answer itself, which is about to arrive.
        let since = Double(now - estimator.nanoseconds(of: known)) / estimator.period - 0.1
        // After a long pause, an estimate can be wrong by several vsyncs, even if a vsync at the
        // beginning of the pause was reported. The next requests therefore return the current
        // count. The timer handles a long silence.
        guard since < Double(Self.shortestPatience) / estimator.period else { return nil }
        let sequence = known + max(0, Int64(since))
        guard sequence > lastSequence else { return nil }
        lastSequence = sequence
        let stamp = lastStamp?.sequence == sequence ? lastStamp?.time : nil
        return VsyncEvent(
            hostTime: MediaTime(nanoseconds: stamp ?? estimator.nanoseconds(of: sequence)),
            sequence: sequence, source: .xPresent)
    }

    /// Returns the latest vsync of the timer, or nil if that vsync was returned before. The timer
    /// takes over after a long silence.
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

    /// Returns the time at which to check again if no report arrives before then.
    package func nextLook(at now: Int64) -> Int64 {
        guard let timer else { return waitBegan + patience }
        let passed = (now - timer.origin) / nominalPeriod
        return timer.origin + (passed + 1) * nominalPeriod
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The vsyncs of a display whose window system reports when frames were presented, such as
/// Wayland's `wp_presentation`. There are no reports while no frame is drawn: the vsyncs in between
/// are calculated from the reported ones.
///
/// A display without a constant rate, such as one with a variable refresh rate or one that exists
/// only in memory, shows a frame soon after it was swapped. Its reports follow the program, so that
/// a line through them would become slower and slower. There, ticks are those of a timer, and the
/// vsync of a tick is the time at which the frames of the tick before become visible.
///
/// Times are host times in nanoseconds. The caller passes all of them.
///
/// - Concurrency: a value that the display link's thread owns. It does not lock, and allocates only
///   when the display changes.
package struct PresentedVsyncs {
    /// The period that the display reports, in nanoseconds. It is used until the first frame was
    /// presented, and with displays without a constant rate.
    package var nominalPeriod: Int64
    /// The line through the reported times, as a function of the sequence number.
    private var estimator: VsyncEstimator
    /// The latest report of a display with a constant rate.
    private var report: (sequence: Int64, time: Int64, refresh: Int64)?
    /// The last tick of the timer; nil before the first one.
    private var tick: (sequence: Int64, time: Int64)?
    /// The latest time that a display without a constant rate has reported, and the mean delay from
    /// a tick until its frame is visible.
    private var delayed: (time: Int64, delay: Int64)?
    /// The last vsync returned.
    private var lastSequence: Int64 = 0

    /// The time after the last report in which calculated vsyncs count as measured.
    private static let validity: Int64 = 10_000_000_000

    package init(nominalPeriod: Int64) {
        self.nominalPeriod = max(1, nominalPeriod)
        estimator = VsyncEstimator(nominalPeriod: MediaTime(nanoseconds: self.nominalPeriod))
    }

    /// Adds a report.
    ///
    /// - Parameters:
    ///   - time: The time at which a frame became visible.
    ///   - refresh: The time from one vsync of the display to the next; 0 if it is not constant.
    package mutating func add(presentedAt time: Int64, refresh: Int64) {
        guard refresh > 0 else {
            addDelay(presentedAt: time)
            return
        }
        (tick, delayed) = (nil, nil)
        // Another display, or another mode of the display, has another line.
        if let report, abs(report.refresh - refresh) < refresh / 200 {
            let distance = Double(time - estimator.nanoseconds(of: report.sequence))
            let sequence = report.sequence + Int64((distance / estimator.period).rounded())
            guard sequence > report.sequence else { return }
            self.report = (sequence, time, refresh)
        } else {
            estimator = VsyncEstimator(nominalPeriod: MediaTime(nanoseconds: refresh))
            report = (lastSequence + 1, time, refresh)
        }
        guard let report else { return }
        estimator.add(count: report.sequence, nanoseconds: time)
    }

    /// Adds a report of a display without a constant rate.
    private mutating func addDelay(presentedAt time: Int64) {
        report = nil
        guard let tick, time > tick.time else {
            delayed?.time = time
            return
        }
        // If drawing takes longer than a period, this is the delay from a later tick.
        let delay = (time - tick.time) % nominalPeriod
        guard let mean = delayed?.delay else {
            delayed = (time, delay)
            return
        }
        // The shorter way from the mean to the delay, since both are positions within a period.
        var change = delay - mean
        if change > nominalPeriod / 2 { change -= nominalPeriod }
        if change < -nominalPeriod / 2 { change += nominalPeriod }
        delayed = (time, min(max(0, mean + change / 16), nominalPeriod - 1))
    }

    /// Returns the latest vsync that has passed; nil if it was returned before.
    package mutating func takeVsync(at now: Int64) -> VsyncEvent? {
        guard let report else { return takeTick(at: now) }
        let since = Double(now - estimator.nanoseconds(of: report.sequence)) / estimator.period
        let sequence = report.sequence + max(0, Int64(since.rounded(.down)))
        guard sequence > lastSequence else { return nil }
        lastSequence = sequence
        let time =
            sequence == report.sequence ? report.time : estimator.nanoseconds(of: sequence)
        return VsyncEvent(
            hostTime: MediaTime(nanoseconds: time), sequence: sequence,
            source: now - report.time < Self.validity ? .waylandPresentation : .timer)
    }

    /// Returns the latest tick of the timer; nil if it was returned before.
    private mutating func takeTick(at now: Int64) -> VsyncEvent? {
        let origin = tick ?? (lastSequence + 1, now)
        let passed = max(0, now - origin.time) / nominalPeriod
        let (sequence, time) = (origin.sequence + passed, origin.time + passed * nominalPeriod)
        tick = (sequence, time)
        guard sequence > lastSequence else { return nil }
        lastSequence = sequence
        guard let delayed, now - delayed.time < Self.validity else {
            return VsyncEvent(
                hostTime: MediaTime(nanoseconds: time), sequence: sequence, source: .timer)
        }
        return VsyncEvent(
            hostTime: MediaTime(nanoseconds: time - nominalPeriod + delayed.delay),
            sequence: sequence, source: .waylandPresentation)
    }

    /// Returns the time of the next vsync after those that were returned.
    package func nextVsync(after now: Int64) -> Int64 {
        guard report != nil else { return tick.map { $0.time + nominalPeriod } ?? now }
        return estimator.nanoseconds(of: lastSequence + 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The vsyncs of a display whose window system reports when frames were presented, such as
/// Wayland's `wp_presentation`. There are no reports while no frame is drawn: the vsyncs in between
/// are calculated from the reported ones.
///
/// Times are host times in nanoseconds. The caller passes all of them.
///
/// - Concurrency: a value that the display link's thread owns. It does not lock, and allocates only
///   when the display changes.
package struct PresentedVsyncs {
    /// The period that the display reports, in nanoseconds. It is used until the first frame was
    /// presented.
    package var nominalPeriod: Int64
    /// The line through the reported times, as a function of the sequence number.
    private var estimator: VsyncEstimator
    /// The latest report.
    private var report: (sequence: Int64, time: Int64, refresh: Int64)?
    /// The first vsync of the timer, which is used before the first report.
    private var origin: Int64?
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
        let refresh = refresh > 0 ? refresh : nominalPeriod
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

    /// Returns the latest vsync that has passed; nil if it was returned before.
    package mutating func takeVsync(at now: Int64) -> VsyncEvent? {
        guard let report else { return takeTimedVsync(at: now) }
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

    private mutating func takeTimedVsync(at now: Int64) -> VsyncEvent? {
        let origin = origin ?? now
        self.origin = origin
        let sequence = 1 + (now - origin) / nominalPeriod
        guard sequence > lastSequence else { return nil }
        lastSequence = sequence
        return VsyncEvent(
            hostTime: MediaTime(nanoseconds: origin + (sequence - 1) * nominalPeriod),
            sequence: sequence, source: .timer)
    }

    /// Returns the time of the next vsync after those that were returned.
    package func nextVsync(after now: Int64) -> Int64 {
        guard report != nil else { return (origin ?? now) + lastSequence * nominalPeriod }
        return estimator.nanoseconds(of: lastSequence + 1)
    }
}

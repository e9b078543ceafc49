// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A tracker that converts the vsyncs of a source to ticks. The ticks are exact if the source has a
/// schedule, and estimated if it does not.
struct VsyncTracker {
    private let schedule: VsyncSchedule?
    private let nominalPeriod: MediaTime
    private var estimator: VsyncEstimator
    private var source: TimingSource?
    private var lastTarget = MediaTime.negativeInfinity

    init(source: any VsyncSource) {
        schedule = source.schedule
        nominalPeriod = source.nominalPeriod
        estimator = VsyncEstimator(nominalPeriod: source.nominalPeriod)
    }

    mutating func tick(for event: VsyncEvent) -> DisplayTick {
        if let schedule {
            return DisplayTick(
                timestamp: schedule.time(of: event.sequence),
                targetTimestamp: schedule.time(of: event.sequence + 1),
                duration: schedule.period, sequence: event.sequence, source: event.source,
                reportedTimestamp: event.hostTime)
        }
        if source != event.source {
            // A different source has a different period.
            estimator = VsyncEstimator(nominalPeriod: nominalPeriod)
            source = event.source
        }
        estimator.add(count: event.sequence, nanoseconds: event.hostTime.nanoseconds ?? 0)
        let timestamp = estimator.nanoseconds(of: event.sequence)
        let target = MediaTime(nanoseconds: estimator.nanoseconds(of: event.sequence + 1))
        // Item time must not run backwards, even if the display of the link changes.
        lastTarget = max(target, lastTarget)
        return DisplayTick(
            timestamp: MediaTime(nanoseconds: timestamp), targetTimestamp: lastTarget,
            duration: MediaTime(nanoseconds: Int64(estimator.period.rounded())),
            sequence: event.sequence, source: event.source, reportedTimestamp: event.hostTime)
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
public import PlayheadTime

/// Observation of the playhead.
extension Player {
    /// Calls `handler` when the playhead of the current item passes a multiple of `interval`, in
    /// either direction. The handler is also called when the playhead jumps, when the timeline
    /// starts, stops or changes its rate, and when another item becomes current.
    ///
    ///     let token = player.addPeriodicTimeObserver(forInterval: second, on: .main) { time in
    ///         MainActor.assumeIsolated { label.text = time.clockDescription }
    ///     }
    ///
    /// While `queue` is busy, up to sixteen times are stored. After that, the newest time replaces
    /// the last stored time.
    ///
    /// No time is beyond the end of the item, unless `actionAtItemEnd` is `none`.
    ///
    /// - Parameters:
    ///   - interval: The interval on the item's timeline, at least a millisecond. At double rate,
    ///     calls are twice as frequent. If the interval is not positive or not numeric, the handler
    ///     is called only for jumps and changes.
    ///   - queue: The queue on which the handler runs. The default, `.main`, is for a program that
    ///     runs its main queue. In other programs, pass `.background`.
    ///   - handler: Called with the time of the playhead: the multiple that was passed, or the
    ///     position at a change.
    /// - Corresponds to: `AVPlayer.addPeriodicTimeObserver(forInterval:queue:using:)`.
    public func addPeriodicTimeObserver(
        forInterval interval: MediaTime, on queue: ObservationQueue = .main,
        using handler: @escaping @Sendable (MediaTime) -> Void
    ) -> ObservationToken {
        let shortest = MediaTime(value: 1, timescale: 1000)
        let isRegular = interval.isNumeric && interval > .zero
        return addTimeObserver(
            TimeMarks.multiples(of: isRegular ? max(interval, shortest) : nil),
            tellsChanges: true, on: queue, using: handler)
    }

    /// Calls `handler` when the playhead of the current item passes one of `times` during playback,
    /// in either direction. A jump over a time or to a time does not count as passing it.
    ///
    /// - Parameters:
    ///   - times: The times on the item's timeline, in any order. Times that are not numeric are
    ///     ignored.
    ///   - queue: The queue on which the handler runs. The default, `.main`, is for a program that
    ///     runs its main queue. In other programs, pass `.background`.
    /// - Corresponds to: `AVPlayer.addBoundaryTimeObserver(forTimes:queue:using:)`.
    public func addBoundaryTimeObserver(
        forTimes times: [MediaTime], on queue: ObservationQueue = .main,
        using handler: @escaping @Sendable () -> Void
    ) -> ObservationToken {
        addTimeObserver(TimeMarks(times), tellsChanges: false, on: queue) { _ in handler() }
    }

    private func addTimeObserver(
        _ marks: TimeMarks, tellsChanges: Bool, on queue: ObservationQueue,
        using handler: @escaping @Sendable (MediaTime) -> Void
    ) -> ObservationToken {
        let gate = ObservationGate()
        let observer = TimeObserver(
            marks: marks, tellsChanges: tellsChanges, gate: gate, queue: queue, handler: handler)
        let remove = observers.observeAtOnce { [weak self] old, new in
            guard old.currentItem != new.currentItem else { return }
            let item = self?.currentItem
            observer.follow(
                item?.timebase, end: item?.pipeline.observedEnd,
                since: item?.pipeline.audioStart ?? .invalid)
        }
        observer.begin { currentItem.map { ($0.timebase, $0.pipeline.observedEnd) } }
        return ObservationToken(gate: gate) {
            remove()
            observer.cancel()
        }
    }
}

extension ItemPipeline {
    /// Returns where playback ends at a rate: a timeline is stopped there a moment late, and
    /// observers must not receive the time in between. Nil if the end is not known yet, or if
    /// playback continues past it.
    fileprivate var observedEnd: TimeObserver.End {
        { [weak self] rate in
            guard let self else { return nil }
            return control.withLock { control in
                if control.ending.action == .none { return nil }
                return rate > 0 ? control.expectedEnd : control.reverseEnd
            }
        }
    }
}

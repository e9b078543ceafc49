// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// Observation of the playhead.
extension Player {
    /// Calls `handler` when the playhead of the current item passes a multiple of `interval`, in
    /// either direction, and also when it jumps, when the timeline starts, stops or changes its
    /// rate, and when another item becomes current.
    ///
    ///     let token = player.addPeriodicTimeObserver(forInterval: second, on: .main) { time in
    ///         MainActor.assumeIsolated { label.text = time.clockDescription }
    ///     }
    ///
    /// Times that occur while `queue` is busy wait, up to sixteen of them; after that, the newest
    /// replaces the last.
    ///
    /// - Parameters:
    ///   - interval: The interval on the item's timeline, so that at double rate calls are twice as
    ///     frequent; at least a millisecond. If it is not positive, or not numeric, there are calls
    ///     only at changes.
    ///   - queue: The queue on which the handler runs. The default, `.main`, needs a program that
    ///     runs its main queue; pass `.background` in others.
    ///   - handler: Called with the time of the playhead: the multiple that was passed, or its
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
    /// in either direction. A jump over a time, or to it, does not pass it.
    ///
    /// - Parameters:
    ///   - times: The times on the item's timeline, in any order; those that are not numeric are
    ///     ignored.
    ///   - queue: The queue on which the handler runs. The default, `.main`, needs a program that
    ///     runs its main queue; pass `.background` in others.
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
            observer.follow(self?.currentItem?.timebase)
        }
        observer.begin { currentItem?.timebase }
        return ObservationToken(gate: gate) {
            remove()
            observer.cancel()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// Watching the playhead.
extension Player {
    /// Calls `handler` whenever the playhead of the current item passes a whole multiple of
    /// `interval`, in either direction, and also when it jumps, when the timeline starts, stops or
    /// changes its rate, and when another item becomes the current one.
    ///
    ///     let token = player.addPeriodicTimeObserver(forInterval: second, on: .main) { time in
    ///         MainActor.assumeIsolated { label.text = time.clockDescription }
    ///     }
    ///
    /// Times that come while `queue` is busy wait there, up to sixteen of them; of more, the newest
    /// replaces the last.
    ///
    /// - Parameters:
    ///   - interval: on the item's timeline, so at double rate calls come twice as often; at least a
    ///     millisecond. One that is not positive, or no number, leaves the calls at changes only.
    ///   - queue: where the handler runs.
    ///   - handler: gets the playhead's time: the multiple passed, or where it is at a change.
    /// - Returns: what ends the observation when it is cancelled or dropped.
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

    /// Calls `handler` whenever the playhead of the current item passes one of `times` in playing,
    /// in either direction. A jump over a time, or to it, is not passing it.
    ///
    /// - Parameters:
    ///   - times: on the item's timeline, in any order; those that are no numbers are left out.
    ///   - queue: where the handler runs.
    /// - Returns: what ends the observation when it is cancelled or dropped.
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

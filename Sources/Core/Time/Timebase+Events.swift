// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization

/// Observation of a timebase.
extension Timebase {
    /// A change of a timebase or of one of its masters.
    public enum Event: Sendable, Equatable {
        /// The effective rate changed. The event contains the new rate, relative to the clock at
        /// the end of the chain of masters, and the time at which the new rate took effect.
        ///
        /// - Corresponds to: `kCMTimebaseNotification_EffectiveRateChanged`.
        case effectiveRateChanged(Double, time: MediaTime)
        /// The time was set, and now reads this value. If the rate was set too, this event comes
        /// first.
        ///
        /// - Corresponds to: `kCMTimebaseNotification_TimeJumped`.
        case timeJumped(to: MediaTime)
    }

    /// Calls `handler` after each event, in order, on a thread of the library. All handlers and
    /// timers share this thread, so the handler must return quickly or dispatch its work to another
    /// thread.
    ///
    /// - Returns: An object that cancels the observation. Releasing the object does not cancel it.
    @discardableResult
    public func observe(
        _ handler: @escaping @Sendable (Event) -> Void
    ) -> TimebaseObservation {
        TimebaseObservation(addObserver(handler))
    }

    /// Adds an observer. The timebase keeps the observer until the observation is cancelled.
    private func addObserver(
        _ body: @escaping @Sendable (Event) -> Void
    ) -> CancellableHandler<Event> {
        let handler = CancellableHandler(body)
        state.withLock { state in
            state.observers.removeAll { $0.isCancelled }
            state.observers.append(handler)
        }
        return handler
    }

    /// The events from now until the timebase is deallocated. A consumer that falls behind by more
    /// than 64 events misses the oldest events.
    public var events: AsyncStream<Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let finisher = StreamFinisher(continuation)
            // Only the timebase keeps the observer alive, so the stream ends with the timebase.
            weak let observer = addObserver { finisher.continuation.yield($0) }
            continuation.onTermination = { _ in observer?.cancel() }
        }
    }

    /// Waits until all events so far have been delivered to their observers. Returns at once if
    /// called by an observer.
    ///
    /// - Corresponds to: `CMTimebaseNotificationBarrier`.
    package func waitForNotifications() { AlarmThread.shared.waitForJobs() }

    func post(_ event: Event, _ state: inout State) {
        state.observers.removeAll { $0.isCancelled }
        guard !state.observers.isEmpty else { return }
        let observers = state.observers
        AlarmThread.shared.perform {
            for observer in observers { observer.call(event) }
        }
    }
}

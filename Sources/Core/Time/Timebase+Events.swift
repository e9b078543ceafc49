// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization

/// Watching a timebase change.
extension Timebase {
    /// Something that happened to a timebase, or to a master of its.
    public enum Event: Sendable, Equatable {
        /// The rate against the clock at the end of the chain is a new one; with the time at which
        /// it took effect.
        ///
        /// - Corresponds to: `kCMTimebaseNotification_EffectiveRateChanged`.
        case effectiveRateChanged(Double, time: MediaTime)
        /// The time was set to another, and reads this now. Where the rate was set with it, this
        /// comes first.
        ///
        /// - Corresponds to: `kCMTimebaseNotification_TimeJumped`.
        case timeJumped(to: MediaTime)
    }

    /// Calls `handler` after each event, in their order, on a thread of the library's own. All
    /// handlers and timers share it: be quick, or hand the work on.
    ///
    /// - Returns: what ends the observation. Dropping it does not.
    @discardableResult
    public func observe(
        _ handler: @escaping @Sendable (Event) -> Void
    ) -> TimebaseObservation {
        let observation = TimebaseObservation(handler)
        state.withLock { state in
            state.observations.removeAll { $0.handler.isCancelled }
            state.observations.append(observation)
        }
        return observation
    }

    /// The events from now on, until the timebase goes. One who falls behind by more than 64 misses the
    /// oldest.
    public var events: AsyncStream<Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let finisher = StreamFinisher(continuation)
            // The timebase alone keeps it, and so the stream ends with that.
            weak let observation = observe { finisher.continuation.yield($0) }
            continuation.onTermination = { _ in observation?.cancel() }
        }
    }

    /// Waits until all events so far have been handed to their observers. Returns at once when
    /// called by one of them.
    ///
    /// - Corresponds to: `CMTimebaseNotificationBarrier`.
    package func waitForNotifications() { AlarmThread.shared.waitForJobs() }

    func post(_ event: Event, _ state: inout State) {
        state.observations.removeAll { $0.handler.isCancelled }
        guard !state.observations.isEmpty else { return }
        let observations = state.observations
        AlarmThread.shared.perform {
            for observation in observations { observation.handler.call(event) }
        }
    }
}

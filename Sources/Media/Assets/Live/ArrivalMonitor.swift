// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime
import Synchronization

/// The relation between the timeline of a live source and the host time at which its media arrives.
/// Playback follows it instead of loading ahead, so that the newest frame is shown as soon as it is
/// decoded.
///
/// - Concurrency: any thread; holds a lock only for a copy.
package final class ArrivalMonitor: Sendable {
    private let state = Mutex<MediaTime?>(nil)
    /// The delay with which media should be shown after its arrival.
    package let delay: MediaTime

    /// - Parameter delay: The delay with which media should be shown after its arrival.
    package init(delay: MediaTime = .zero) { self.delay = delay }

    /// Records the host time at which the media at time zero arrived, or would have arrived.
    package func note(origin: MediaTime) { state.withLock { $0 = origin } }

    /// Returns the time of the media that is due at a host time; nil before anything has arrived.
    ///
    /// - Parameter offset: The delay with which media is shown after its arrival; nil for the one
    ///   with which it should be.
    package func time(
        atHostTime hostTime: MediaTime, offset: MediaTime? = nil
    ) -> MediaTime? {
        state.withLock { $0 }.map { hostTime - $0 - (offset ?? delay) }
    }
}

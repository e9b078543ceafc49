// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization

/// The clock of a session: that of its first device for audio, or else the host clock.
///
/// The clock of a device for audio reads host time until the device is open, and then bends towards
/// the device's rate, so selecting it before the session runs moves no time.
///
/// - Concurrency: any thread.
final class CaptureClock: MediaClock {
    private let base: any MediaClock
    private let selected: Mutex<any MediaClock>

    init(_ base: any MediaClock) {
        self.base = base
        selected = Mutex(base)
    }

    /// The clock that counts.
    var current: any MediaClock { selected.withLock { $0 } }

    /// Selects a clock; nil for the host clock.
    func select(_ clock: (any MediaClock)?) { selected.withLock { $0 = clock ?? base } }

    var time: MediaTime { current.time }
    func time(atHostTime hostTime: MediaTime) -> MediaTime { current.time(atHostTime: hostTime) }
    func hostTime(at time: MediaTime) -> MediaTime { current.hostTime(at: time) }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization

/// The clock of a session: the clock of its first audio device, or the host clock if it has no
/// audio device.
///
/// Until the audio device is open, its clock shows host time. The clock then changes gradually to
/// the device's rate. Therefore, selecting the clock before the session runs does not make the time
/// jump.
///
/// - Concurrency: any thread.
final class CaptureClock: MediaClock {
    private let base: any MediaClock
    private let selected: Mutex<any MediaClock>

    init(_ base: any MediaClock) {
        self.base = base
        selected = Mutex(base)
    }

    /// The selected clock.
    var current: any MediaClock { selected.withLock { $0 } }

    /// Selects a clock; nil for the host clock.
    func select(_ clock: (any MediaClock)?) { selected.withLock { $0 = clock ?? base } }

    var time: MediaTime { current.time }
    func time(atHostTime hostTime: MediaTime) -> MediaTime { current.time(atHostTime: hostTime) }
    func hostTime(at time: MediaTime) -> MediaTime { current.hostTime(at: time) }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization

/// The time and the period of a display's vsyncs, as a render thread last set them.
///
/// - Concurrency: any thread. It does not lock or wait. The time and the period change together
///   only when the display changes its mode. If a reader then gets the old value of one and the new
///   value of the other, its result is wrong by less than a vsync interval, once.
final class VsyncGrid: Sendable {
    /// The host time of a vsync, and the period, in nanoseconds; 0 until they are set.
    private let vsync = Atomic<Int64>(0)
    private let period = Atomic<Int64>(0)

    func set(vsync: MediaTime, period: MediaTime) {
        self.vsync.store(vsync.nanoseconds ?? 0, ordering: .relaxed)
        self.period.store(period.nanoseconds ?? 0, ordering: .relaxed)
    }

    /// Returns the first vsync that is not before a host time; nil if no vsync is known.
    func vsync(notBefore hostTime: MediaTime) -> MediaTime? {
        let (vsync, period) = (vsync.load(ordering: .relaxed), period.load(ordering: .relaxed))
        guard period > 0, let earliest = hostTime.nanoseconds else { return nil }
        let remainder = (earliest - vsync) % period
        let past = remainder < 0 ? remainder + period : remainder
        return past == 0 ? hostTime : MediaTime(nanoseconds: earliest + period - past)
    }
}

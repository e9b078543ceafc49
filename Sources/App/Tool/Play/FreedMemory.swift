// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Returns freed memory to the system after each file. malloc keeps freed memory in a heap for each
/// thread, so a player that runs all day would hold the maximum of all its threads.
///
/// The libraries do not do this in the process of a host.
///
/// - Concurrency: the main thread.
@MainActor struct FreedMemory {
    /// The delay after which an item has released everything.
    private static let delay = MediaTime(value: 1, timescale: 1)
    private var due: MediaTime?

    /// Schedules the work after a change of files.
    mutating func noteChange() { due = HostClock.shared.time + Self.delay }

    /// The time until the work is due, in seconds, or nil if no work is due.
    var remaining: Double? { due.map { max(0, ($0 - HostClock.shared.time).seconds) } }

    /// Does the work when it is due, on its own thread, which locks one heap at a time.
    mutating func look() {
        guard let due, HostClock.shared.time >= due else { return }
        self.due = nil
        Thread.detachNewThread { ProcessHeap.returnFreeMemory() }
    }
}

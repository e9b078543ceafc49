// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Returns freed memory to the system after each file. malloc has a heap for each thread and keeps
/// freed memory in it, so a player that runs all day would keep the peak memory of all its threads.
///
/// Only the program does this. In the process of a host, the libraries do not.
///
/// - Concurrency: the main thread.
@MainActor struct FreedMemory {
    /// The time after which a removed item has released all of its memory.
    private static let delay = MediaTime(value: 1, timescale: 1)
    private var due: MediaTime?

    /// Schedules the work after a change of files.
    mutating func noteChange() { due = HostClock.shared.time + Self.delay }

    /// The time until the work is due, in seconds; nil if no work is scheduled.
    var remaining: Double? { due.map { max(0, ($0 - HostClock.shared.time).seconds) } }

    /// Does the work when it is due, on a separate thread that locks one heap at a time.
    mutating func look() {
        guard let due, HostClock.shared.time >= due else { return }
        self.due = nil
        Thread.detachNewThread { ProcessHeap.returnFreeMemory() }
    }
}

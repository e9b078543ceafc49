// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Gives memory back to the system that a film has left behind: malloc has a heap for each thread, and
/// keeps in each what was freed there, so that a player which opens films all day would hold the most
/// that any of its threads ever had.
///
/// Not done by libraries: in a host's process that is the host's affair.
///
/// - Concurrency: the main thread.
@MainActor struct FreedMemory {
    /// How long a film that has ended takes to let go of everything.
    private static let delay = MediaTime(value: 1, timescale: 1)
    private var due: MediaTime?

    /// Another film plays.
    mutating func noteChange() { due = HostClock.shared.time + Self.delay }

    /// In how many seconds it is time; nil while there is nothing to do.
    var remaining: Double? { due.map { max(0, ($0 - HostClock.shared.time).seconds) } }

    /// Does it when it is time, on a thread of its own: heaps are locked meanwhile, one at a time.
    mutating func look() {
        guard let due, HostClock.shared.time >= due else { return }
        self.due = nil
        Thread.detachNewThread { ProcessHeap.returnFreeMemory() }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadDispatch
import Dispatch

/// The main dispatch queue, on which all main-actor work runs, as seen by a loop that is neither
/// Dispatch's nor Foundation's own.
///
/// This is the one file that uses the two functions by which Foundation's run loop does the same.
enum MainQueue {
    /// An eventfd, readable when the queue has work. Whoever heeds it reads it empty.
    static let descriptor: Int32 = ph_main_queue_descriptor()

    /// Runs what the queue holds now.
    @MainActor static func drain() { ph_main_queue_drain() }
}

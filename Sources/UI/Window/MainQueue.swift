// SPDX-License-Identifier: Apache-2.0

import CPlayheadDispatch
import Dispatch

/// The main dispatch queue, which runs the main actor's work, for a loop that is not Dispatch's or
/// Foundation's.
///
/// Only this file uses the two private functions on which Foundation's run loop is built, too.
enum MainQueue {
    /// An eventfd that is readable while the queue has work, until it is read.
    static let descriptor: Int32 = ph_main_queue_descriptor()

    /// Runs the work that is queued.
    @MainActor static func drain() { ph_main_queue_drain() }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadDispatch
import Dispatch

/// The main dispatch queue, which runs the work of the main actor. With it, a loop that belongs to
/// neither Dispatch nor Foundation can run that work.
///
/// Foundation's run loop uses the same two private functions. No other file calls them.
enum MainQueue {
    /// An eventfd that becomes readable when the queue has work, until it is read.
    static let descriptor: Int32 = ph_main_queue_descriptor()

    /// Runs the work that is queued.
    @MainActor static func drain() { ph_main_queue_drain() }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A closure that one thread sets and others call.
///
/// Not a `Mutex` of the closure itself. Generic code keeps closures in another form than it hands out,
/// and each access to one that can be changed wraps it in two more thunks, until a call of it runs out
/// of stack: so it lies in a structure, which is kept as it is.
///
/// - Concurrency: any thread. The closure is called with no lock held.
package final class LockedHandler<Event>: Sendable {
    private struct Box: Sendable {
        var handler: (@Sendable (Event) -> Void)?
    }

    private let box = Mutex(Box())

    package init() {}

    /// Sets what is called from now on; nil for nothing. A call that is under way goes on.
    package func set(_ handler: (@Sendable (Event) -> Void)?) {
        let former = box.withLock { box in
            let former = box
            box.handler = handler
            return former
        }
        // What it kept may have locks of its own to take in its end.
        withExtendedLifetime(former) {}
    }

    /// Calls what is set, if anything is.
    package func callAsFunction(_ event: Event) {
        box.withLock { $0 }.handler?(event)
    }
}

extension LockedHandler where Event == Void {
    package func callAsFunction() { self(()) }
}

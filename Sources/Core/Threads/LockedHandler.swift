// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A closure that one thread sets and others call.
///
/// The closure is stored in a structure, and not directly in a `Mutex`. Generic code such as
/// `Mutex` converts a closure when it stores or returns it, so each access wraps the closure in two
/// more thunks. After many accesses, a call overflows the stack. A structure is stored unchanged.
///
/// - Concurrency: any thread. The closure is called with no lock held.
package final class LockedHandler<Event>: Sendable {
    private struct Box: Sendable {
        var handler: (@Sendable (Event) -> Void)?
    }

    private let box = Mutex(Box())

    package init() {}

    /// Sets the closure that later calls run; nil to run no closure. A call in progress continues.
    package func set(_ handler: (@Sendable (Event) -> Void)?) {
        let former = box.withLock { box in
            let former = box
            box.handler = handler
            return former
        }
        // The captures of the old closure may take locks in their deinitializers.
        withExtendedLifetime(former) {}
    }

    /// Calls the closure, if one is set.
    package func callAsFunction(_ event: Event) {
        box.withLock { $0 }.handler?(event)
    }
}

extension LockedHandler where Event == Void {
    /// Calls the closure, if one is set.
    package func callAsFunction() { self(()) }
}

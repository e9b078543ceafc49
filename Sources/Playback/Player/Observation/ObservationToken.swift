// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A token for an observation, which ends when the token is cancelled or released.
///
/// - Concurrency: any thread. `cancel` waits for a running handler, unless that handler calls it.
///   After `cancel` has returned, no handler runs.
/// - Corresponds to: `NSKeyValueObservation`; the object that `addPeriodicTimeObserver` returns.
public final class ObservationToken: Sendable {
    private let gate: ObservationGate
    private let remove: @Sendable () -> Void

    package init(gate: ObservationGate, remove: @escaping @Sendable () -> Void) {
        self.gate = gate
        self.remove = remove
    }

    deinit { cancel() }

    /// Ends the observation. Further calls do nothing.
    public func cancel() {
        gate.close()
        remove()
    }
}

/// A gate that lets a handler run until the gate is closed.
package final class ObservationGate: @unchecked Sendable {
    // Unchecked: `isOpen` is used only while the mutex is held. The mutex is recursive, so that a
    // handler can cancel its own observation.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var isOpen = true

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func pass(_ body: () -> Void) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if isOpen { body() }
    }

    func close() {
        pthread_mutex_lock(mutex)
        isOpen = false
        pthread_mutex_unlock(mutex)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A value under a lock, and a way to wait until it changes.
///
/// The bounded queues between the demuxer, the decoders and their consumers are built on it.
/// `Synchronization.Mutex` has no condition variable, hence this type. Waits are measured on
/// `CLOCK_MONOTONIC`, so setting the wall clock neither cuts a wait short nor prolongs it.
///
/// - Concurrency: any thread but a real-time one: it locks.
/// - Corresponds to: `pthread_mutex_t` with `pthread_cond_t`.
package final class Monitor<State>: @unchecked Sendable {
    // Unchecked: `state` is only touched between pthread_mutex_lock and pthread_mutex_unlock of
    // `mutex`, whose address is stable because both live in heap storage of their own.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State
    private let didChange: (@Sendable (State) -> Void)?
    private let didUnlock: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - didChange: called after every change, with the lock held, so in the order of the changes:
    ///     it must be brief, and not come back to the monitor.
    ///   - didUnlock: called after every change by the thread that made it, when it has let go of
    ///     the lock, so perhaps after later changes: for what must not be done with the lock held.
    package init(
        _ state: sending State, didChange: (@Sendable (State) -> Void)? = nil,
        didUnlock: (@Sendable () -> Void)? = nil
    ) {
        self.state = state
        self.didChange = didChange
        self.didUnlock = didUnlock
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        changed = .allocate(capacity: 1)
        changed.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the lock held.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Runs `body` with the lock held, then wakes everyone who waits.
    package func change<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            didChange?(state)
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
            didUnlock?()
        }
        return body(&state)
    }

    /// Wakes everyone who waits, so that they look again.
    package func wake() {
        pthread_mutex_lock(mutex)
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
    }

    /// Waits until `body` returns a value, looking again after every change. A wait that succeeds
    /// counts as a change itself: taking from a queue makes room for others.
    ///
    /// - Parameter isNews: whether what `body` has left is worth waking others for. What is taken
    ///   from a queue that nobody refills yet is not, and each of them would wake for nothing.
    @discardableResult
    package func wait<Result>(
        until body: (inout State) -> Result?, isNews: (State) -> Bool = { _ in true }
    ) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_mutex_unlock(mutex)
            didUnlock?()
        }
        while true {
            if let result = body(&state) {
                didChange?(state)
                if isNews(state) { pthread_cond_broadcast(changed) }
                return result
            }
            pthread_cond_wait(changed, mutex)
        }
    }

    /// Waits like `wait(until:)`, for at most `nanoseconds`; nil when that time has passed. A
    /// negative time only looks.
    @discardableResult
    package func wait<Result>(
        nanoseconds: Int64, until body: (inout State) -> Result?
    ) -> Result? {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let start = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
        let (sum, overflows) = start.addingReportingOverflow(max(0, nanoseconds))
        let end = overflows ? .max : sum
        var deadline = timespec(
            tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        var isOver = false
        pthread_mutex_lock(mutex)
        defer {
            pthread_mutex_unlock(mutex)
            didUnlock?()
        }
        while true {
            if let result = body(&state) {
                didChange?(state)
                pthread_cond_broadcast(changed)
                return result
            }
            if isOver { return nil }
            // Once more after the time is over.
            isOver = pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT
        }
    }
}

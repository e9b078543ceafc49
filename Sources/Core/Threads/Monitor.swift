// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A value under a lock, with a way to wait for changes.
///
/// The bounded queues between demuxer, decoders and their consumers use a monitor, because
/// `Synchronization.Mutex` has no condition variable. Timeouts are measured on `CLOCK_MONOTONIC`,
/// so setting the wall clock neither shortens nor prolongs them.
///
/// - Concurrency: any thread except real-time threads, because the methods lock.
/// - Corresponds to: `pthread_mutex_t` with `pthread_cond_t`.
package final class Monitor<State>: @unchecked Sendable {
    // Unchecked: `state` is only touched between pthread_mutex_lock and pthread_mutex_unlock of
    // `mutex`, whose address is stable because both live in heap storage of their own.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State
    private let didChange: (@Sendable (State) -> Void)?
    private let didUnlock: (@Sendable () -> Void)?

    /// Creates a monitor.
    ///
    /// - Parameters:
    ///   - didChange: Called after every change with the lock held, and therefore in the order of
    ///     the changes. The closure must be brief and must not use the monitor.
    ///   - didUnlock: Called after every change by the thread that made the change, without the
    ///     lock and perhaps after later changes. It is for work that must not hold the lock.
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

    /// Calls `body` with the lock held.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Calls `body` with the lock held, then wakes all waiting threads.
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

    /// Wakes all waiting threads, which then check their conditions again.
    package func wake() {
        pthread_mutex_lock(mutex)
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
    }

    /// Waits until `body` returns a value; `body` is called again after every change. A successful
    /// wait counts as a change itself, because taking an item from a queue frees a slot for others.
    ///
    /// - Parameter isNews: Returns whether other threads need to wake up, given the state after the
    ///   last call of `body`. For example, a producer does not need to wake up for a free slot as
    ///   long as its queue is still full enough.
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

    /// Waits like `wait(until:)`, for at most `nanoseconds`; returns nil after that time. A
    /// negative time checks once without waiting.
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
            // After the timeout, `body` is called one last time.
            isOver = pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT
        }
    }
}

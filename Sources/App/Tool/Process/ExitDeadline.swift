// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI
import Synchronization

/// Ends the program shortly after a signal asked it to quit, even if a driver blocks the thread
/// that would end it.
///
/// A shader can block a thread in an OpenGL call for minutes. The program gets enough time for an
/// orderly exit. After that, the signal itself ends the program.
///
/// - Concurrency: `start` may be called in signal handlers.
enum ExitDeadline {
    /// The time for an orderly exit, in nanoseconds: two seconds, minus the time that the system
    /// needs on a busy machine.
    private static let limit = 1_600_000_000
    /// A semaphore that counts the signals. The thread that installs the handlers creates it before
    /// it installs the first one and starts the waiting thread. After that, it neither changes nor
    /// is released, and any thread and any handler may use it.
    nonisolated(unsafe) private static var requests: UnsafeMutablePointer<sem_t>?
    /// The signal that will end the program: the last one that arrived.
    private static let number = Atomic(SIGTERM)
    /// A Boolean value that indicates whether the deadline was cancelled permanently.
    private static let isCancelled = Atomic(false)
    /// A Boolean value that indicates whether work is in progress that may take longer.
    private static let isExtended = Atomic(false)

    /// Starts the thread that waits for a request. Call it before signal handlers are installed.
    static func prepare() {
        guard requests == nil else { return }
        // This is initialised here, because a signal handler must not do it.
        _ = isCancelled.load(ordering: .relaxed)
        _ = isExtended.load(ordering: .relaxed)
        _ = number.load(ordering: .relaxed)
        let requests = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        guard sem_init(requests, 0, 0) == 0 else { return }
        self.requests = requests
        let thread = Thread { waitForRequest() }
        thread.name = "ph-exit"
        thread.start()
    }

    private static func waitForRequest() {
        guard let requests else { return }
        while sem_wait(requests) != 0, errno == EINTR {}
        // The main thread may wait for an event, which this is.
        Task { @MainActor in }
        ShaderCacheThreads.raisePriority()
        repeat {
            var end = timespec()
            clock_gettime(CLOCK_MONOTONIC, &end)
            let nanoseconds = end.tv_nsec + limit
            end.tv_sec += nanoseconds / 1_000_000_000
            end.tv_nsec = nanoseconds % 1_000_000_000
            while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nil) == EINTR {}
            guard !isCancelled.load(ordering: .relaxed) else { return }
        } while isExtended.load(ordering: .relaxed)
        let number = number.load(ordering: .acquiring)
        signal(number, SIG_DFL)
        // The signal is sent to the whole process, because it may be blocked in this thread.
        kill(getpid(), number)
    }

    /// Starts the deadline at the first call.
    static func start(for signal: Int32) {
        guard let requests else { return }
        number.store(signal, ordering: .releasing)
        sem_post(requests)
    }

    /// Calls a function that may take longer than the deadline but cannot be stuck in a driver. An
    /// example is a function that encodes. If the deadline is reached during the call, it is
    /// extended.
    static func extended<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        isExtended.store(true, ordering: .relaxed)
        defer { isExtended.store(false, ordering: .relaxed) }
        try body()
    }

    /// Cancels the deadline permanently, for work that completes a file, no matter how long it
    /// takes.
    static func cancel() { isCancelled.store(true, ordering: .relaxed) }
}

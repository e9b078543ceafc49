// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A named thread of our own, for work that blocks or keeps time.
///
/// Demuxing, decoding, rendering and the sound server each run on one of these, never on Swift's
/// cooperative pool, whose threads must not block. The name shows in `top -H`, `gdb` and `perf`.
///
/// - Concurrency: `start` and `join` may be called from any thread; `join` from one thread, once.
/// - Ownership: the thread keeps its body alive until the body returns. Dropping the
///   `WorkerThread` does not stop it: tell the body to return, then `join`.
/// - Corresponds to: `pthread_create`, `pthread_join`.
package final class WorkerThread: Sendable {
    private let handle: pthread_t
    /// Whether it was joined: its handle may be another's now.
    private let hasEnded = Atomic<Bool>(false)
    private let isJoined = Atomic(false)

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes are kept, the limit of the Linux kernel.
    ///   - body: runs once on the new thread.
    package init(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var handle = pthread_t()
        let status = pthread_create(
            &handle, nil,
            { argument in
                let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
                WorkerThread.nameCurrentThread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        // EAGAIN is the one documented failure here: the process is out of threads. Nothing that a
        // player does can go on without its threads.
        precondition(status == 0, "pthread_create failed with \(status): out of threads")
        self.handle = handle
    }

    /// Has the calling thread, and those that it starts from now on, leave the better part of a
    /// processor to others: for work that somebody waits for, beside threads that draw.
    ///
    /// - Corresponds to: `setpriority`, which on Linux is a thread's; nice 5, a third of a share.
    package static func yieldToOthers() { setpriority(Int32(PRIO_PROCESS.rawValue), 0, 5) }

    /// Whether the caller runs on this thread.
    package var isCurrent: Bool {
        // The system gives the handle of a thread that was joined to another one.
        !hasEnded.load(ordering: .acquiring) && pthread_equal(handle, pthread_self()) != 0
    }

    /// Waits until the body has returned. Calling it again does nothing.
    package func join() {
        precondition(!isCurrent, "a thread cannot join itself")
        if isJoined.exchange(true, ordering: .relaxed) { return }
        pthread_join(handle, nil)
        hasEnded.store(true, ordering: .releasing)
    }

    // A thread that is neither joined nor detached keeps its stack when it has ended.
    deinit {
        if !isJoined.load(ordering: .relaxed) { pthread_detach(handle) }
    }

    /// Names the calling thread through procfs: `pthread_setname_np` is hidden behind `_GNU_SOURCE`
    /// and `prctl` is variadic, so Swift sees neither. Without procfs the thread stays unnamed.
    private static func nameCurrentThread(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        let bytes = Array(name.utf8.prefix(15))
        _ = write(file, bytes, bytes.count)
    }

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}

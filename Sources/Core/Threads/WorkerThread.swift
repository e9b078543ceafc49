// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A named thread of the library, for work that blocks or depends on time.
///
/// Demuxing, decoding, rendering and the connection to the audio server each run on a thread of
/// this type. They never use Swift's cooperative pool, whose threads must not block. The name
/// appears in `top -H`, `gdb` and `perf`.
///
/// - Concurrency: `init` and `join` may be called on any thread.
/// - Ownership: the thread keeps its body alive until the body returns. Releasing the
///   `WorkerThread` does not stop it: make the body return, then call `join`.
/// - Corresponds to: `pthread_create`, `pthread_join`.
package final class WorkerThread: Sendable {
    private let handle: pthread_t
    /// A Boolean value that indicates whether the thread was joined. After that, another thread may
    /// have the same handle.
    private let hasEnded = Atomic<Bool>(false)
    private let isJoined = Atomic(false)

    /// Creates and starts a thread.
    ///
    /// - Parameters:
    ///   - name: The thread's name. The Linux kernel keeps only the first 15 bytes.
    ///   - body: Runs once on the new thread.
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
        // EAGAIN is the one documented failure: the process is out of threads. A player cannot work
        // without its threads.
        precondition(status == 0, "pthread_create failed with \(status): out of threads")
        self.handle = handle
    }

    /// Lowers the priority of the calling thread and of the threads that it starts later. It is for
    /// background work that must not disturb the threads that draw.
    ///
    /// - Parameter niceness: The priority, from 1 to 19; a higher number yields more.
    /// - Corresponds to: `setpriority`, which on Linux applies to a single thread. At nice 5, a
    ///   thread gets about a third of the processor time of a thread at nice 0.
    package static func yieldToOthers(niceness: Int32 = 5) {
        setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness)
    }

    /// A Boolean value that indicates whether the caller runs on this thread.
    package var isCurrent: Bool {
        // The system may reuse the handle of a joined thread.
        !hasEnded.load(ordering: .acquiring) && pthread_equal(handle, pthread_self()) != 0
    }

    /// Waits until the body has returned. Further calls return at once, even while the first call
    /// waits.
    package func join() {
        precondition(!isCurrent, "a thread cannot join itself")
        if isJoined.exchange(true, ordering: .relaxed) { return }
        pthread_join(handle, nil)
        hasEnded.store(true, ordering: .releasing)
    }

    // A thread that is neither joined nor detached keeps its stack after it has ended.
    deinit {
        if !isJoined.load(ordering: .relaxed) { pthread_detach(handle) }
    }

    /// Names the calling thread through procfs. Swift sees neither `pthread_setname_np`, which
    /// requires `_GNU_SOURCE`, nor `prctl`, which is variadic. Without procfs, the thread stays
    /// unnamed.
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

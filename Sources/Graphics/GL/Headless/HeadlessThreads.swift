// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadThreads

/// The threads that draw in headless contexts of their own. They end before the process does.
///
/// At exit, the system calls the exit handlers of EGL and of the driver while other threads still
/// run. If one of them makes an OpenGL call at that time, or frees its objects, memory is freed
/// twice, and the process is aborted after its work was complete. Therefore an exit handler ends
/// these threads and waits for them; see `HeadlessExit`.
///
/// - Concurrency: any thread.
package final class HeadlessThreads: Sendable {
    /// The threads of the process.
    package static let shared = HeadlessThreads()
    /// The maximum time to wait for the threads, in nanoseconds: a driver may block a thread in a
    /// call for minutes. It is long enough for the compilation of a shader on a busy machine.
    private static let limit: Int64 = 20_000_000_000

    private struct Entry {
        let thread: WorkerThread
        /// Makes the body return soon; nil once it has returned.
        var end: (@Sendable () -> Void)?
        var hasEnded: Bool { end == nil }
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var lastNumber = 0
        var isEnding = false
    }

    private let state = Monitor(State())

    package init() {}

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - end: Makes `body` return soon. It is called when the process exits.
    ///   - body: Runs once on the new thread, which may create a context.
    /// - Returns: The thread; nil if the process is exiting, so that none was started.
    package func start(
        name: String, end: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () -> Void
    ) -> WorkerThread? {
        joinEnded()
        return state.withLock { state in
            guard !state.isEnding else { return nil }
            state.lastNumber += 1
            let number = state.lastNumber
            let thread = WorkerThread(name: name) { [self] in
                body()
                self.state.change { $0.entries[number]?.end = nil }
            }
            state.entries[number] = Entry(thread: thread, end: end)
            return thread
        }
    }

    /// Ends all threads, waits for them, and refuses new ones. A thread that calls `exit` itself is
    /// not waited for.
    package func end() {
        let entries = state.withLock { state in
            state.isEnding = true
            return state.entries.values
        }
        for entry in entries { entry.end?() }
        state.wait(nanoseconds: Self.limit) { state in
            state.entries.values.allSatisfy { $0.hasEnded || $0.thread.isCurrent } ? true : nil
        }
        joinEnded()
    }

    /// Joins the threads whose bodies have returned. Before that, a thread may still free data of
    /// the driver.
    private func joinEnded() {
        let ended = state.withLock { state in
            let ended = state.entries.filter(\.value.hasEnded)
            for number in ended.keys { state.entries[number] = nil }
            return ended.values
        }
        for entry in ended { entry.thread.join() }
    }
}

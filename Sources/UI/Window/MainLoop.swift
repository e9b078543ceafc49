// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import Glibc
import PlayheadThreads

/// The loop of the main thread, which serves window events, the main actor and the main dispatch
/// queue.
///
/// A synchronous `main` calls `run`. The loop sleeps until there is an event, a task of the main
/// actor or a block on the main queue. Without a window it serves tasks and blocks only, so a
/// program without a display has the same loop.
///
/// - Concurrency: the main thread; `wake` may be called from any.
/// - Corresponds to: `NSApplication.run()`, `RunLoop.main`.
@MainActor public final class MainLoop {
    /// The process's loop.
    public static let shared = MainLoop()

    private var isStopping = false
    private var watcher: WorkerThread?

    private init() {}

    /// Runs the loop until `stop` is called.
    public func run() {
        isStopping = false
        while !isStopping { turn() }
    }

    /// Makes `run` return after the current iteration.
    public func stop() { isStopping = true }

    /// Runs an iteration: waits until there is something to do, delivers events, and runs the main
    /// actor's work.
    ///
    /// - Parameter seconds: The longest time to wait, in seconds; nil for no limit, 0 to not wait.
    public func turn(waitingAtMost seconds: Double? = nil) {
        // The longest time that GLFW and poll(2) accept is longer than ten days.
        let seconds = seconds.map { $0.isNaN ? 0 : min(max($0, 0), 1e6) }
        if WindowSystem.isStarted {
            watchMainQueue()
            if let seconds {
                seconds > 0 ? glfwWaitEventsTimeout(seconds) : glfwPollEvents()
            } else {
                glfwWaitEvents()
            }
        } else {
            Self.awaitMainQueue(milliseconds: seconds.map { Int32(($0 * 1000).rounded(.up)) } ?? -1)
        }
        MainQueue.drain()
    }

    /// Ends a wait in `turn`, from any thread.
    public nonisolated func wake() {
        // Queueing work wakes the loop.
        Task { @MainActor in }
    }

    /// Starts a thread that waits on the main queue's descriptor and posts an empty event when
    /// there is work. GLFW waits for its own events only, and this avoids polling.
    private func watchMainQueue() {
        if watcher != nil { return }
        watcher = WorkerThread(name: "ph-main") {
            while true {
                Self.awaitMainQueue(milliseconds: -1)
                glfwPostEmptyEvent()
            }
        }
        // Work that was queued before the watcher started must not wait for the next event.
        MainQueue.drain()
    }

    /// Waits until the main queue has work, and resets its descriptor.
    private nonisolated static func awaitMainQueue(milliseconds: Int32) {
        var wanted = pollfd(fd: MainQueue.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, milliseconds) > 0 else { return }
        var count: UInt64 = 0
        _ = read(MainQueue.descriptor, &count, MemoryLayout<UInt64>.size)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import Glibc
import PlayheadThreads

/// The main thread's loop: window events, the main actor's work, the main dispatch queue.
///
/// A synchronous `main` calls `run`. The loop sleeps until something happens; tasks of the main
/// actor and blocks on the main queue wake it as events do. Without a window it serves those two
/// alone, so a program without a display has the same loop.
///
/// - Concurrency: the main thread, but for `wake`.
/// - Corresponds to: `NSApplication.run()`, `RunLoop.main`.
@MainActor public final class MainLoop {
    /// The process's one.
    public static let shared = MainLoop()

    private var isStopping = false
    private var watcher: WorkerThread?

    private init() {}

    /// Turns until `stop` is called.
    public func run() {
        isStopping = false
        while !isStopping { turn() }
    }

    /// Makes `run` return at the end of the present turn.
    public func stop() { isStopping = true }

    /// Waits until something happens, then delivers events and runs the main actor's work.
    ///
    /// - Parameter seconds: how long to wait at most; nil for as long as it takes, 0 for not at all.
    public func turn(waitingAtMost seconds: Double? = nil) {
        // As long as GLFW and the system's call take; ten days are for ever.
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

    /// Ends a wait that is under way in `turn`; from any thread.
    public nonisolated func wake() {
        // A block that does nothing: queueing it is what wakes.
        Task { @MainActor in }
    }

    /// GLFW waits for its own events only. A thread that sleeps on the main queue's descriptor
    /// posts it an empty one when there is work, so that neither has to be polled.
    private func watchMainQueue() {
        if watcher != nil { return }
        watcher = WorkerThread(name: "ph-main") {
            while true {
                Self.awaitMainQueue(milliseconds: -1)
                glfwPostEmptyEvent()
            }
        }
        // Work queued before the watcher began must not wait for the next event.
        MainQueue.drain()
    }

    /// Sleeps until the main queue has work, and acknowledges it.
    private nonisolated static func awaitMainQueue(milliseconds: Int32) {
        var wanted = pollfd(fd: MainQueue.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, milliseconds) > 0 else { return }
        var count: UInt64 = 0
        _ = read(MainQueue.descriptor, &count, MemoryLayout<UInt64>.size)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import Glibc
import PlayheadThreads

/// The loop of the main thread. It delivers window events, and runs the work of the main actor and
/// of the main dispatch queue.
///
/// A program with a synchronous `main` calls `run`. The loop sleeps until there is an event, a task
/// of the main actor, or a block on the main queue. Without a window there are only tasks and
/// blocks, so a program without a display can use the same loop.
///
/// - Concurrency: the main thread; `wake` may be called on any thread.
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

    /// Runs one iteration: waits until there is something to do, delivers events, and runs the work
    /// of the main actor.
    ///
    /// - Parameter seconds: The longest time to wait, in seconds. With nil, there is no limit; with
    ///   0, the call does not wait.
    public func turn(waitingAtMost seconds: Double? = nil) {
        // GLFW and poll(2) accept at least ten days as their longest time.
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

    /// Ends a wait in `turn`. Any thread may call it.
    public nonisolated func wake() {
        // Work in the queue wakes the loop.
        Task { @MainActor in }
    }

    /// Starts a thread that waits for work on the main queue's descriptor, and then posts an empty
    /// event. GLFW waits for its own events only, so the loop would otherwise have to poll.
    private func watchMainQueue() {
        if watcher != nil { return }
        watcher = WorkerThread(name: "ph-main") {
            while true {
                Self.awaitMainQueue(milliseconds: -1)
                glfwPostEmptyEvent()
            }
        }
        // Work that was queued before this thread started must not have to wait for the next event.
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

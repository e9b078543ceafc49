// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization

/// Calls back once a vsync, on a render thread of its own.
///
/// The link owns the thread that draws: its callback, and every closure given to `perform`, run
/// there, one at a time, so a GL context made current in one stays current in the others. What the
/// program draws with, here `game`, is used on no other thread:
///
///     let link = DisplayLink(source: window.makeVsyncSource()) { tick in
///         game.draw(hostTime: tick.targetTimestamp)
///         context.swapBuffers()
///     }
///     try link.performAndWait { try context.makeCurrent() }
///     link.isPaused = false
///     ...
///     link.invalidate()
///
/// A link starts paused. A paused link sleeps and costs nothing. A callback that takes longer than
/// a vsync makes the link skip vsyncs, visible as a gap in `sequence`; calls never queue up.
///
/// - Concurrency: all members may be used from any thread; `invalidate` not from the link's own.
/// - Ownership: the callback is kept until the link is invalidated, and released on its thread.
///   A link that is dropped stops, but does not wait for its thread: call `invalidate`.
/// - Corresponds to: `CADisplayLink`, `CVDisplayLink`.
public final class DisplayLink: Sendable {
    /// Runs on the link's thread once a vsync.
    public typealias Callback = @Sendable (DisplayTick) -> Void

    private let loop: DisplayLinkLoop
    private let thread: WorkerThread
    private let isJoined = Mutex(false)

    /// Makes a link, paused, and starts its thread.
    ///
    /// - Parameters:
    ///   - source: whose vsyncs to follow. The link stops it when it is invalidated.
    ///   - name: the thread's name.
    public init(
        source: any VsyncSource, name: String = "ph-link", callback: @escaping Callback
    ) {
        let loop = DisplayLinkLoop(source: source, callback: callback)
        self.loop = loop
        thread = WorkerThread(name: name) { loop.run() }
    }

    deinit { loop.end() }

    /// Whether the link calls back. While paused its thread sleeps, but still performs closures.
    public var isPaused: Bool {
        get { loop.isPaused }
        set { loop.isPaused = newValue }
    }

    /// How often to call back, in hertz; 0, the initial value, is every vsync. The link picks the
    /// whole number of vsyncs a call that comes nearest.
    ///
    /// - Corresponds to: `CADisplayLink.preferredFramesPerSecond`.
    public var preferredFramesPerSecond: Double {
        get { loop.preferredFramesPerSecond }
        set { loop.preferredFramesPerSecond = newValue }
    }

    /// Whether the caller runs on the link's thread.
    public var isOnThread: Bool { thread.isCurrent }

    /// Runs `body` on the link's thread before its next callback, also while paused, and does not
    /// wait for it. Closures run in the order in which they were given.
    ///
    /// - Returns: false if the link has been invalidated; `body` never runs then.
    @discardableResult
    public func perform(_ body: @escaping @Sendable () -> Void) -> Bool { loop.perform(body) }

    /// Runs `body` on the link's thread and waits for its result; at once when called there.
    /// The wait is up to one callback and one vsync long.
    ///
    /// - Returns: nil if the link has been invalidated.
    /// - Throws: what `body` throws.
    public func performAndWait<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        if isOnThread { return try body() }
        let result = Monitor<Result<Value, Failure>?>(nil)
        let isAccepted = loop.perform {
            let outcome = Result(catching: body)
            result.change { $0 = outcome }
        }
        return isAccepted ? try result.wait { $0 }.get() : nil
    }

    /// Runs `body` on the link's thread and suspends until its result is there.
    ///
    /// - Returns: nil if the link has been invalidated.
    /// - Throws: what `body` throws.
    package func performed<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        let result: Result<Value, Failure>? = await withCheckedContinuation { continuation in
            let isAccepted = loop.perform { continuation.resume(returning: Result(catching: body)) }
            if !isAccepted { continuation.resume(returning: nil) }
        }
        return try result?.get()
    }

    /// Ends the link for good: closures given before still run, then the thread ends, which this
    /// waits for. Calling it again does nothing.
    public func invalidate() {
        precondition(!isOnThread, "a display link cannot be invalidated from its own thread")
        loop.end()
        isJoined.withLock { isJoined in
            if !isJoined { thread.join() }
            isJoined = true
        }
    }
}

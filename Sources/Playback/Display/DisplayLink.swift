// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization

/// A link to a display that calls back once per vsync, on its own render thread.
///
/// The link owns the thread that draws: its callback and every closure given to `perform` run
/// there, one at a time, so a GL context made current in one stays current in the others. The
/// objects that draw, here `game`, are used on no other thread:
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
/// A link is initially paused. A paused link sleeps and costs nothing. A callback that takes longer
/// than a vsync makes the link skip vsyncs, visible as a gap in `sequence`; calls are never queued.
///
/// - Concurrency: any thread; `invalidate` on any thread but the link's own.
/// - Ownership: keeps the callback until the link is invalidated, and releases it on its thread. A
///   link that is deallocated stops, but does not wait for its thread: call `invalidate`.
/// - Corresponds to: `CADisplayLink`, `CVDisplayLink`.
public final class DisplayLink: Sendable {
    /// A closure that the link's thread calls once per vsync.
    public typealias Callback = @Sendable (DisplayTick) -> Void

    private let loop: DisplayLinkLoop
    private let thread: WorkerThread
    private let isJoined = Mutex(false)

    /// Creates a paused link and starts its thread.
    ///
    /// - Parameters:
    ///   - source: The source of the vsyncs. The link stops it when it is invalidated.
    ///   - name: The name of the thread.
    public init(
        source: any VsyncSource, name: String = "ph-link", callback: @escaping Callback
    ) {
        let loop = DisplayLinkLoop(source: source, callback: callback)
        self.loop = loop
        thread = WorkerThread(name: name) { loop.run() }
    }

    deinit { loop.end() }

    /// A Boolean value that indicates whether the callbacks are paused. The thread then sleeps, but
    /// still performs closures.
    public var isPaused: Bool {
        get { loop.isPaused }
        set { loop.isPaused = newValue }
    }

    /// The frequency of the callback in hertz; 0, the default, is every vsync. The link uses the
    /// nearest whole number of vsyncs per call.
    ///
    /// - Corresponds to: `CADisplayLink.preferredFramesPerSecond`.
    public var preferredFramesPerSecond: Double {
        get { loop.preferredFramesPerSecond }
        set { loop.preferredFramesPerSecond = newValue }
    }

    /// A Boolean value that indicates whether the caller runs on the link's thread.
    package var isOnThread: Bool { thread.isCurrent }

    /// Calls `body` on the link's thread before its next callback, also while paused, and does not
    /// wait for it. Closures are called in the order in which they were passed.
    ///
    /// - Returns: false if the link has been invalidated; `body` is then never called.
    @discardableResult
    public func perform(_ body: @escaping @Sendable () -> Void) -> Bool { loop.perform(body) }

    /// Calls `body` on the link's thread and waits for its result; calls it directly on that
    /// thread. The wait lasts up to one callback and one vsync.
    ///
    /// - Returns: nil if the link has been invalidated.
    /// - Throws: the error of `body`.
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

    /// Calls `body` on the link's thread and suspends until its result is available.
    ///
    /// - Returns: nil if the link has been invalidated.
    /// - Throws: the error of `body`.
    package func performed<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        let result: Result<Value, Failure>? = await withCheckedContinuation { continuation in
            let isAccepted = loop.perform { continuation.resume(returning: Result(catching: body)) }
            if !isAccepted { continuation.resume(returning: nil) }
        }
        return try result?.get()
    }

    /// Ends the link permanently: pending closures still run, then the thread ends, for which this
    /// waits. Further calls do nothing.
    public func invalidate() {
        precondition(!isOnThread, "a display link cannot be invalidated from its own thread")
        loop.end()
        isJoined.withLock { isJoined in
            if !isJoined { thread.join() }
            isJoined = true
        }
    }
}

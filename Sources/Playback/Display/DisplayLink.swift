// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization

/// A link to a display that calls a callback once per vsync, on its own render thread.
///
/// The link owns the thread that draws. Its callback and every closure that is passed to `perform`
/// run on this thread, one at a time, so a GL context that one of them makes current stays current
/// in the others. Objects that draw, such as `game` here, are used on no other thread:
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
/// A link is initially paused. A paused link sleeps, and costs nothing. If a callback takes longer
/// than a vsync interval, the link skips vsyncs, which is visible as a gap in `sequence`. Calls are
/// never queued.
///
/// - Concurrency: any thread; `invalidate` on any thread except the link's own.
/// - Ownership: retains the callback until the link is invalidated, and releases it on the link's
///   thread. A link that is deallocated stops, but does not wait for its thread. To wait, call
///   `invalidate`.
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
    ///   - source: The source of the vsyncs. It is stopped when the link is invalidated.
    ///   - name: The name of the thread.
    public init(
        source: any VsyncSource, name: String = "ph-link", callback: @escaping Callback
    ) {
        let loop = DisplayLinkLoop(source: source, callback: callback)
        self.loop = loop
        thread = WorkerThread(name: name) { loop.run() }
    }

    deinit { loop.end() }

    /// A Boolean value that indicates whether the callbacks are paused. If so, the thread sleeps,
    /// but still performs closures.
    public var isPaused: Bool {
        get { loop.isPaused }
        set { loop.isPaused = newValue }
    }

    /// The frequency of the callback, in hertz. The default is 0, which means every vsync. Each
    /// call covers a whole number of vsyncs, so the link uses the nearest possible frequency.
    ///
    /// - Corresponds to: `CADisplayLink.preferredFramesPerSecond`.
    public var preferredFramesPerSecond: Double {
        get { loop.preferredFramesPerSecond }
        set { loop.preferredFramesPerSecond = newValue }
    }

    /// A Boolean value that indicates whether the caller runs on the link's thread.
    package var isOnThread: Bool { thread.isCurrent }

    /// Calls `body` on the link's thread before the next callback, and does not wait for it. This
    /// also works while the link is paused. Closures are called in the order in which they were
    /// passed.
    ///
    /// - Returns: false if the link has been invalidated. In that case, `body` is never called.
    @discardableResult
    public func perform(_ body: @escaping @Sendable () -> Void) -> Bool { loop.perform(body) }

    /// Calls `body` on the link's thread and waits for its result. If the caller runs on that
    /// thread, `body` is called directly. The wait is limited to the duration of one callback and
    /// one vsync.
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

    /// Ends the link permanently. The call waits until the pending closures have run and the thread
    /// has ended. Further calls do nothing.
    public func invalidate() {
        precondition(!isOnThread, "a display link cannot be invalidated from its own thread")
        loop.end()
        isJoined.withLock { isJoined in
            if !isJoined { thread.join() }
            isJoined = true
        }
    }
}

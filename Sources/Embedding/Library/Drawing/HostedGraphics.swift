// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import Glibc
import PlayheadGL
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The OpenGL objects of a player or a writer in the host's context, and the thread that may use
/// them.
///
/// - Concurrency: `isInitialized`, `end` and `forget` on any thread; everything else on the render
///   thread, which is the thread that called `begin`. The render thread waits for another thread
///   only while that thread closes the player, and vice versa.
final class HostedGraphics<Surface: HostedContextUser>: @unchecked Sendable {
    // Unchecked: `surface` is accessed only while `turn` is held.
    private let turn = Monitor(())
    private var surface: Surface?
    /// The render thread's `pthread_t`; 0 before `begin`.
    private let thread = Atomic<UInt>(0)
    let statistics = Mutex(HostedStatistics())

    var isInitialized: Bool { thread.load(ordering: .acquiring) != 0 }

    /// A Boolean value that indicates whether the calling thread is the render thread.
    var isOnRenderThread: Bool { thread.load(ordering: .acquiring) == pthread_self() }

    func begin(mode: GLHostState.Mode, unitBase: Int) throws {
        guard !isInitialized else {
            throw CallFailure.state(
                "the \(Surface.noun) has an OpenGL context; call \(Surface.prefix)_deinit first")
        }
        let context = try GLHostContext()
        let limit = GLHostState.unitLimit - GLHostState.unitCount
        guard (0...max(0, limit)).contains(unitBase) else {
            throw CallFailure.argument(
                "texture_unit_base must be between 0 and \(limit) in this context, not \(unitBase)")
        }
        let surface = Surface(context: context, mode: mode, unitBase: unitBase)
        try turn.withLock { _ in
            guard self.surface == nil else {
                throw CallFailure.state(
                    "\(Surface.prefix)_init is running on another thread; call it on one thread")
            }
            self.surface = surface
            // The statistics describe a previous context.
            statistics.withLock { ($0.textures, $0.objects) = (0, 0) }
            thread.store(pthread_self(), ordering: .releasing)
        }
    }

    /// Runs `body` on the render thread, with the context current.
    func perform<Result>(_ body: (Surface) throws -> Result) throws -> Result {
        let thread = thread.load(ordering: .acquiring)
        guard thread != 0 else {
            throw CallFailure.state(
                "the \(Surface.noun) has no OpenGL context; call \(Surface.prefix)_init first")
        }
        guard thread == pthread_self() else {
            throw CallFailure(
                PLAYHEAD_WRONG_THREAD,
                "\(Surface.prefix)_init was called on another thread; call this function on "
                    + "that thread")
        }
        return try turn.withLock { _ in
            guard let surface else {
                throw CallFailure.state(
                    "the \(Surface.noun) lost its OpenGL context during the call; call "
                        + "\(Surface.prefix)_init again"
                )
            }
            try surface.context.makeCurrent()
            return try withExtendedLifetime(surface) { try body(surface) }
        }
    }

    /// Deletes all objects. Called on the render thread.
    func deinitialize() throws {
        try perform { _ in }
        guard let context = drop() else { return }
        context.deleteDropped()
    }

    /// Releases all objects without calling OpenGL. Any thread may call it.
    func forget() { _ = drop() }

    /// Deletes all objects if the calling thread can do so. Otherwise, a later `collect` deletes
    /// them. Any thread may call it.
    func end() {
        guard let context = drop() else { return }
        if context.deletionQueue.isOnRenderThread, context.isCurrent {
            context.deleteDropped()
        } else {
            HostedGarbage.add(context)
        }
    }

    /// Releases the surface, and returns its context. When the call returns, the names of all
    /// objects of the surface are in the context's deletion queues.
    @inline(never)
    private func drop() -> GLHostContext? {
        var surface = take()
        let context = surface?.context
        surface = nil
        return context
    }

    private func take() -> Surface? {
        turn.withLock { _ in
            defer {
                surface = nil
                thread.store(0, ordering: .releasing)
            }
            return surface
        }
    }
}

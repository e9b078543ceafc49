// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import Glibc
import Synchronization

/// A queue of the names of released OpenGL objects, which the render thread deletes.
///
/// The last reference to a texture may be dropped on any thread, but OpenGL must be called on the
/// render thread only. `deinit` therefore adds the name to this queue, and the render thread
/// deletes all queued names once a frame. The queue also knows the render thread, and traps if the
/// objects of its context are used on another thread.
///
/// - Concurrency: `enqueue` on any thread, under a short lock; the rest on the render thread.
/// - Ownership: one for each context, or for each group of contexts that share objects.
public final class GLDeletionQueue: Sendable {
    /// The kind of an object.
    package enum Kind: Int, Sendable, CaseIterable {
        case texture, sampler, buffer, vertexArray, framebuffer, program, query, fence
    }

    private struct Names {
        var byKind = [[UInt32]](repeating: [], count: Kind.allCases.count)
        /// The addresses of the fences that wait to be deleted. Fences have no names.
        var fences: [UInt] = []
        var isEmpty = true
        /// The number of objects that were created and not yet deleted, by kind.
        var live = [Int](repeating: 0, count: Kind.allCases.count)
        /// The memory of the live objects, in bytes; objects that do not report their size are not
        /// included.
        var byteCount = 0
        /// The memory of the objects that wait to be deleted, in bytes.
        var waitingByteCount = 0
        var makeHandler: (@Sendable () -> Void)?

        mutating func clear() {
            byteCount -= waitingByteCount
            waitingByteCount = 0
            for kind in byKind.indices {
                live[kind] -= byKind[kind].count
                byKind[kind].removeAll()
            }
            live[Kind.fence.rawValue] -= fences.count
            fences.removeAll()
            isEmpty = true
        }
    }

    private let waiting = Mutex(Names())
    /// The render thread's `pthread_t`; 0 until the context has been current on a thread.
    private let thread = Atomic<UInt>(0)
    /// A Boolean value that indicates whether several contexts, each on its own thread, share the
    /// objects.
    private let isShared: Bool

    package convenience init() { self.init(isShared: false) }

    init(isShared: Bool) { self.isShared = isShared }

    /// Makes the calling thread, on which the context has just become current, the render thread of
    /// the queue.
    package func bindToCurrentThread() {
        thread.store(pthread_self(), ordering: .relaxed)
        GLBindings.current.distrust()
    }

    /// A Boolean value that indicates whether the context is current on the calling thread.
    package var isOnRenderThread: Bool {
        isShared || thread.load(ordering: .relaxed) == pthread_self()
    }

    /// Traps unless the context is current on the calling thread.
    package func preconditionOnRenderThread() {
        precondition(
            isOnRenderThread,
            "OpenGL objects must be used on the thread on which their context is current")
    }

    /// Counts objects that were just created.
    ///
    /// - Parameter byteCount: the OpenGL memory of all of them together, in bytes.
    func didMake(_ kind: Kind, count: Int = 1, byteCount: Int = 0) {
        let handler = waiting.withLock { waiting in
            waiting.live[kind.rawValue] += count
            waiting.byteCount += byteCount
            return waiting.makeHandler
        }
        handler?()
    }

    /// Adds bytes to the memory that is counted for live objects. The number is negative if an
    /// object has released memory.
    func didChange(byteCount: Int) { waiting.withLock { $0.byteCount += byteCount } }

    /// Returns the number of objects of a kind that were created and not yet deleted, including
    /// those that wait to be deleted. In a program that draws the same content again and again, the
    /// number must not grow.
    package func liveCount(_ kind: Kind) -> Int { waiting.withLock { $0.live[kind.rawValue] } }

    /// The memory of textures and buffers, in bytes, computed from their sizes. The driver's own
    /// overhead is not included.
    package var byteCount: Int { waiting.withLock { $0.byteCount } }

    /// Sets a closure that is called on the render thread when an object is created. It is for
    /// tests that have to act at that moment.
    package func onMake(_ handler: (@Sendable () -> Void)?) {
        waiting.withLock { $0.makeHandler = handler }
    }

    /// Adds a name to be deleted. May be called on any thread.
    ///
    /// - Parameter byteCount: the OpenGL memory that the object takes, in bytes.
    package func enqueue(_ kind: Kind, _ name: UInt32, byteCount: Int = 0) {
        guard name != 0 else { return }
        waiting.withLock {
            $0.byKind[kind.rawValue].append(name)
            $0.waitingByteCount += byteCount
            $0.isEmpty = false
        }
    }

    func enqueue(fence: UnsafeMutableRawPointer) {
        waiting.withLock {
            $0.fences.append(UInt(bitPattern: fence))
            $0.isEmpty = false
        }
    }

    /// Deletes the queued objects. Called on the render thread once a frame; costs one lock if the
    /// queue is empty.
    package func drain() {
        preconditionOnRenderThread()
        let names = waiting.withLock { waiting -> ([[UInt32]], [UInt])? in
            guard !waiting.isEmpty else { return nil }
            defer { waiting.clear() }
            return (waiting.byKind, waiting.fences)
        }
        guard let (names, fences) = names else { return }
        // Deleted objects are no longer bound, and their names may be reused.
        GLBindings.current.forget()
        for kind in Kind.allCases {
            let list = names[kind.rawValue]
            let count = Int32(list.count)
            guard count > 0 else { continue }
            switch kind {
            case .texture: ph_glDeleteTextures(count, list)
            case .sampler: ph_glDeleteSamplers(count, list)
            case .buffer: ph_glDeleteBuffers(count, list)
            case .vertexArray: ph_glDeleteVertexArrays(count, list)
            case .framebuffer: ph_glDeleteFramebuffers(count, list)
            case .program: for name in list { ph_glDeleteProgram(name) }
            case .query: ph_glDeleteQueries(count, list)
            case .fence: break
            }
        }
        for fence in fences { ph_glDeleteSync(UnsafeMutableRawPointer(bitPattern: fence)) }
    }

    /// The number of names that wait to be deleted: for tests and leak reports.
    package var waitingCount: Int {
        waiting.withLock { $0.byKind.reduce($0.fences.count) { $0 + $1.count } }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import Glibc
import Synchronization

/// Where the names of dropped OpenGL objects wait for the render thread.
///
/// The last reference to a texture may go on any thread, where OpenGL must not be called; so
/// `deinit` leaves the name here, and the render thread deletes what has gathered once a frame. The
/// queue also knows which thread that is, and so holds the objects of its context to it.
///
/// - Concurrency: `enqueue` on any thread, under a short lock; the rest on the render thread.
/// - Ownership: one for each context, or for each group of contexts that share objects.
public final class GLDeletionQueue: Sendable {
    /// The kinds of objects that wait here.
    package enum Kind: Int, Sendable, CaseIterable {
        case texture, sampler, buffer, vertexArray, framebuffer, program, query, fence
    }

    private struct Names {
        var byKind = [[UInt32]](repeating: [], count: Kind.allCases.count)
        /// Fences have no names but addresses.
        var fences: [UInt] = []
        var isEmpty = true
        /// Made and not yet deleted, by kind.
        var live = [Int](repeating: 0, count: Kind.allCases.count)
        /// Of what lives, as far as the objects know.
        var byteCount = 0
        /// Of what waits.
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
    /// The render thread's `pthread_t`; 0 as long as there is none.
    private let thread = Atomic<UInt>(0)
    /// Whether it is of objects that several contexts share, each on a thread of its own.
    private let isShared: Bool

    package convenience init() { self.init(isShared: false) }

    init(isShared: Bool) { self.isShared = isShared }

    /// Declares the calling thread, on which the context has just become current, the render thread.
    package func bindToCurrentThread() {
        thread.store(pthread_self(), ordering: .relaxed)
        GLBindings.current.distrust()
    }

    /// Whether the calling thread is the one on which the context is current.
    package var isOnRenderThread: Bool {
        isShared || thread.load(ordering: .relaxed) == pthread_self()
    }

    /// Traps on any thread but the one on which the context is current.
    package func preconditionOnRenderThread() {
        precondition(
            isOnRenderThread,
            "OpenGL objects are used on the thread on which their context is current")
    }

    /// Counts objects just made.
    ///
    /// - Parameter byteCount: what they take of OpenGL's memory, all together.
    func didMake(_ kind: Kind, count: Int = 1, byteCount: Int = 0) {
        let handler = waiting.withLock { waiting in
            waiting.live[kind.rawValue] += count
            waiting.byteCount += byteCount
            return waiting.makeHandler
        }
        handler?()
    }

    /// Counts memory that an object has taken after it was made; negative for what it gave back.
    func didChange(byteCount: Int) { waiting.withLock { $0.byteCount += byteCount } }

    /// How many objects of a kind were made and not yet deleted, those that wait included: what a
    /// program that draws the same again and again must not see grow.
    package func liveCount(_ kind: Kind) -> Int { waiting.withLock { $0.live[kind.rawValue] } }

    /// Bytes of OpenGL's memory that textures and buffers take, by their sizes: what a driver adds
    /// for its own purposes is not in it.
    package var byteCount: Int { waiting.withLock { $0.byteCount } }

    /// Has a closure called on the render thread as each object is made: for tests that want something
    /// to happen just then.
    package func onMake(_ handler: (@Sendable () -> Void)?) {
        waiting.withLock { $0.makeHandler = handler }
    }

    /// Leaves a name to be deleted. Any thread.
    ///
    /// - Parameter byteCount: what the object takes of OpenGL's memory.
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

    /// Deletes what has gathered. Render thread, once a frame; costs one lock when nothing waits.
    package func drain() {
        preconditionOnRenderThread()
        let names = waiting.withLock { waiting -> ([[UInt32]], [UInt])? in
            guard !waiting.isEmpty else { return nil }
            defer { waiting.clear() }
            return (waiting.byKind, waiting.fences)
        }
        guard let (names, fences) = names else { return }
        // What is deleted is bound no more, and its name may be given to something else.
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

    /// How many names wait: for tests and for leak reports.
    package var waitingCount: Int {
        waiting.withLock { $0.byKind.reduce($0.fences.count) { $0 + $1.count } }
    }
}

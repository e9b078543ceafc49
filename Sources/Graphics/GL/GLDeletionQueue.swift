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
    public enum Kind: Int, Sendable, CaseIterable {
        case texture, sampler, buffer, vertexArray, framebuffer, program, query
    }

    private struct Names {
        var byKind = [[UInt32]](repeating: [], count: Kind.allCases.count)
        var isEmpty = true
        /// Made and not yet deleted, by kind.
        var live = [Int](repeating: 0, count: Kind.allCases.count)

        mutating func clear() {
            for kind in byKind.indices {
                live[kind] -= byKind[kind].count
                byKind[kind].removeAll()
            }
            isEmpty = true
        }
    }

    private let waiting = Mutex(Names())
    /// The render thread's `pthread_t`; 0 as long as there is none.
    private let thread = Atomic<UInt>(0)

    public init() {}

    /// Declares the calling thread, on which the context has just become current, the render thread.
    public func bindToCurrentThread() {
        thread.store(pthread_self(), ordering: .relaxed)
        GLBindings.current.distrust()
    }

    /// Traps on any thread but the one on which the context is current.
    public func preconditionOnRenderThread() {
        precondition(
            thread.load(ordering: .relaxed) == pthread_self(),
            "OpenGL objects are used on the thread on which their context is current")
    }

    /// Counts objects just made.
    func didMake(_ kind: Kind, count: Int = 1) {
        waiting.withLock { $0.live[kind.rawValue] += count }
    }

    /// How many objects of a kind were made and not yet deleted, those that wait included: what a
    /// program that draws the same again and again must not see grow.
    public func liveCount(_ kind: Kind) -> Int { waiting.withLock { $0.live[kind.rawValue] } }

    /// Leaves a name to be deleted. Any thread.
    public func enqueue(_ kind: Kind, _ name: UInt32) {
        guard name != 0 else { return }
        waiting.withLock {
            $0.byKind[kind.rawValue].append(name)
            $0.isEmpty = false
        }
    }

    /// Deletes what has gathered. Render thread, once a frame; costs one lock when nothing waits.
    public func drain() {
        preconditionOnRenderThread()
        let names = waiting.withLock { waiting -> [[UInt32]]? in
            guard !waiting.isEmpty else { return nil }
            defer { waiting.clear() }
            return waiting.byKind
        }
        guard let names else { return }
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
            }
        }
    }

    /// How many names wait: for tests and for leak reports.
    public var waitingCount: Int {
        waiting.withLock { $0.byKind.reduce(0) { $0 + $1.count } }
    }
}

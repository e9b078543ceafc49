// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// A host's OpenGL context, which is never made current here: it is, or the call fails.
///
/// - Concurrency: see `GLContext`.
final class HostContext: GLContext {
    let capabilities: GLCapabilities
    let deletionQueue: GLDeletionQueue
    let shareGroup = GLShareGroup()
    let messages = GLMessageLog()
    let loss = GLContextLoss()
    /// Nothing of the host's context is kept alive by us: so nothing stays mapped in it either.
    var storage: AnyObject { self }
    private let context: GLCurrentContext

    /// Takes the context that is current on the calling thread.
    init() throws(GLError) {
        guard let context = GLCurrentContext() else {
            throw .unavailable(
                reason: "no EGL or GLX context is current on this thread; make the host's current "
                    + "before")
        }
        self.context = context
        capabilities = try GLCapabilities.ofCurrentContext().withoutBufferStorage
        deletionQueue = GLDeletionQueue()
        deletionQueue.bindToCurrentThread()
    }

    var identifier: UInt { context.identifier }

    var isCurrent: Bool { context.isCurrent }

    func makeCurrent() throws(GLError) {
        guard isCurrent else {
            throw .unavailable(
                reason: "the context of playhead_gl_init is not current on this thread")
        }
    }

    /// Objects that have been dropped, and wait to be deleted.
    var droppedCount: Int { deletionQueue.waitingCount + shareGroup.deletionQueue.waitingCount }

    /// Deletes them. Render thread, with the context current.
    func deleteDropped() {
        deletionQueue.drain()
        shareGroup.deletionQueue.drain()
    }

    /// The host's affair.
    func clearCurrent() {}
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A fence in a context's command stream. A program can query whether the GPU has reached it, and
/// another context can wait for it on the GPU.
///
/// - Concurrency: created on a render thread, and queried on the render thread of any context of
///   the same group; the last reference may be dropped on any thread.
/// - Corresponds to: `glFenceSync`, `MTLSharedEvent`.
package final class GLFence: @unchecked Sendable {
    // Unchecked: constant, and OpenGL synchronises access to sync objects itself.
    private let sync: UnsafeMutableRawPointer?
    private let deletionQueue: GLDeletionQueue

    /// Creates a fence after the commands that the context has issued so far.
    package init(context: any GLContext) {
        deletionQueue = context.shareGroup.deletionQueue
        sync = GLDriverLock.withLock { ph_glFenceSync() }
        if sync != nil { deletionQueue.didMake(.fence) }
    }

    /// Creates a fence from a host's sync object, which the fence owns and deletes.
    ///
    /// - Parameter sync: a `GLsync` from the share group of the current context. The initializer
    ///   returns nil if it is anything else.
    package init?(taking sync: UnsafeMutableRawPointer, context: any GLContext) {
        guard ph_glIsSync(sync) != 0 else { return nil }
        deletionQueue = context.shareGroup.deletionQueue
        self.sync = sync
        deletionQueue.didMake(.fence)
    }

    deinit {
        if let sync { deletionQueue.enqueue(fence: sync) }
    }

    /// A Boolean value that indicates whether OpenGL has executed all commands before the fence.
    /// Reading it does not wait. Commands that were not flushed may never be executed.
    package var isReached: Bool {
        // A lost context has no fence, and there is nothing to wait for.
        guard let sync else { return true }
        return GLDriverLock.withLock { ph_glClientWaitSync(sync, 0) } != UInt32(GL_TIMEOUT_EXPIRED)
    }

    /// Makes the GPU wait for the fence before it executes the commands that are issued in the
    /// current context from now on. The CPU does not wait.
    package func waitOnGPU() {
        if let sync { GLDriverLock.withLock { ph_glWaitSync(sync) } }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A mark among what OpenGL has been told to do: whether it has got there can be asked, and another
/// context can be told not to go on before.
///
/// - Concurrency: made on a render thread, asked on that of any context of its group; the last
///   reference may go on any thread.
/// - Corresponds to: `glFenceSync`, `MTLSharedEvent`.
package final class GLFence: @unchecked Sendable {
    // Unchecked: constant; OpenGL keeps sync objects itself from several threads.
    private let sync: UnsafeMutableRawPointer?
    private let deletionQueue: GLDeletionQueue

    /// Marks what has been issued in the context up to now.
    package init(context: any GLContext) {
        deletionQueue = context.shareGroup.deletionQueue
        sync = GLTurns.take { ph_glFenceSync() }
        if sync != nil { deletionQueue.didMake(.fence) }
    }

    /// Takes over a mark that a host has made, and deletes it in the end.
    ///
    /// - Parameter sync: a `GLsync` of the group of the context that is current; nil where it is none.
    package init?(taking sync: UnsafeMutableRawPointer, context: any GLContext) {
        guard ph_glIsSync(sync) != 0 else { return nil }
        deletionQueue = context.shareGroup.deletionQueue
        self.sync = sync
        deletionQueue.didMake(.fence)
    }

    deinit {
        if let sync { deletionQueue.enqueue(fence: sync) }
    }

    /// Whether OpenGL has done everything up to the mark. Does not wait; what has not been flushed
    /// does not get there.
    package var isReached: Bool {
        // In a context that is lost there is nothing to wait for, and no fence.
        guard let sync else { return true }
        return GLTurns.take { ph_glClientWaitSync(sync, 0) } != UInt32(GL_TIMEOUT_EXPIRED)
    }

    /// Has OpenGL do what is issued from here on, in the context that is current, after what was
    /// issued up to the mark. The processor does not wait.
    package func holdBack() {
        if let sync { GLTurns.take { ph_glWaitSync(sync) } }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// An OpenGL context that a host, such as a game or a toolkit, created and makes current.
///
///     let context = try GLHostContext()               // the host's context is current
///     let state = GLHostState(mode: .restoreAll, unitBase: 0)
///     state.enter()
///     let renderer = VideoRenderer(context: context)
///     state.leave()
///
/// Draw in the context between `GLHostState.enter` and `leave`. Playhead never makes it current:
/// `makeCurrent` only checks that it is.
///
/// - Concurrency: see `GLContext`. To move the context to another thread, release everything that
///   was created in it, call `deleteDropped`, and create a new `GLHostContext` on the other thread.
/// - Ownership: the context belongs to the host, which may destroy it at any time after
///   `deleteDropped`.
/// - Corresponds to: a wrapped context, `gst_gl_context_new_wrapped`.
public final class GLHostContext: GLContext {
    /// The capabilities of the context's OpenGL.
    public let capabilities: GLCapabilities
    /// The queue of the names of released objects.
    public let deletionQueue: GLDeletionQueue
    /// A group with this context only: its objects are shared with no other context.
    public let shareGroup = GLShareGroup()
    /// The log of the driver's messages, which stays empty because the host has its own log.
    public let messages = GLMessageLog()
    /// A record of whether the context has been lost.
    public let loss = GLContextLoss()
    /// True: the context belongs to the host.
    public var belongsToHost: Bool { true }
    /// This object. It does not keep the host's context alive, so decoders do not use memory of the
    /// context.
    public var storage: AnyObject { self }
    private let context: GLCurrentContext

    /// Creates a reference to the context that is current on the calling thread.
    ///
    /// - Throws: `GLError.unavailable` if no context of EGL or GLX is current;
    ///   `GLError.unsupportedVersion`.
    public init() throws(GLError) {
        guard let context = GLCurrentContext() else {
            throw .unavailable(
                reason: "no EGL or GLX context is current on this thread; make the host's "
                    + "context current first")
        }
        self.context = context
        capabilities = try GLCapabilities.ofCurrentContext().withoutBufferStorage
        deletionQueue = GLDeletionQueue()
        deletionQueue.bindToCurrentThread()
    }

    /// A Boolean value that indicates whether the context is current on the calling thread.
    package var isCurrent: Bool { context.isCurrent }

    /// Checks that the host has made the context current on the calling thread.
    public func makeCurrent() throws(GLError) {
        guard isCurrent else {
            throw .unavailable(
                reason: "the host's context is not current on this thread; make it current first")
        }
    }

    /// Does nothing, because the host makes contexts current.
    public func clearCurrent() {}

    /// The number of released objects that wait to be deleted.
    package var droppedCount: Int {
        deletionQueue.waitingCount + shareGroup.deletionQueue.waitingCount
    }

    /// Deletes the released objects. Call it on the render thread, with the context current.
    public func deleteDropped() {
        deletionQueue.drain()
        shareGroup.deletionQueue.drain()
    }
}

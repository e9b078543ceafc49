// SPDX-License-Identifier: Apache-2.0

/// An OpenGL context that somebody else has made, and makes current: a game's, a toolkit's.
///
///     let context = try GLHostContext()               // the host's is current
///     let state = GLHostState(mode: .restoreAll, unitBase: 0)
///     state.enter()
///     let renderer = VideoRenderer(context: context)
///     state.leave()
///
/// What is drawn in it goes between `GLHostState.enter` and `leave`. It is never made current here:
/// `makeCurrent` only looks whether it is.
///
/// - Concurrency: see `GLContext`. To hand it to another thread, drop everything that was made in it,
///   call `deleteDropped`, and take it anew there.
/// - Ownership: the context stays the host's, and may go at any time after `deleteDropped`.
/// - Corresponds to: a wrapped context, `gst_gl_context_new_wrapped`.
public final class GLHostContext: GLContext {
    public let capabilities: GLCapabilities
    public let deletionQueue: GLDeletionQueue
    public let shareGroup = GLShareGroup()
    public let messages = GLMessageLog()
    public let loss = GLContextLoss()
    public var belongsToHost: Bool { true }
    /// Nothing of the host's is kept alive by us: so nothing of its memory is handed to decoders.
    public var storage: AnyObject { self }
    private let context: GLCurrentContext

    /// Takes the context that is current on the calling thread.
    ///
    /// - Throws: `GLError.unavailable` where none is, or one of neither EGL nor GLX;
    ///   `GLError.unsupportedVersion`.
    public init() throws(GLError) {
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

    /// Whether it is current on the calling thread.
    package var isCurrent: Bool { context.isCurrent }

    public func makeCurrent() throws(GLError) {
        guard isCurrent else {
            throw .unavailable(
                reason: "the host's context is not current on this thread; make it current before")
        }
    }

    /// The host's affair.
    public func clearCurrent() {}

    /// Objects that have been dropped, and wait to be deleted.
    public var droppedCount: Int {
        deletionQueue.waitingCount + shareGroup.deletionQueue.waitingCount
    }

    /// Deletes them. Render thread, with the context current.
    public func deleteDropped() {
        deletionQueue.drain()
        shareGroup.deletionQueue.drain()
    }
}

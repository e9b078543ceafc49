// SPDX-License-Identifier: Apache-2.0

/// An OpenGL context of version 3.3 core or later: that of a window, a headless one, or a host's,
/// which may be of OpenGL ES 3.0 or later.
///
/// Everything that draws is given a context; there is no global one.
///
/// - Concurrency: a context is current on one thread at a time, the render thread, and every other
///   object of this module is used on that thread only. The context object itself may be handed
///   from thread to thread while it is current on none.
/// - Ownership: outlives the objects made in it; the driver frees those that are left when it is
///   destroyed.
/// - Corresponds to: `CGLContextObj`, `EGLContext`, `GLXContext`.
public protocol GLContext: AnyObject, Sendable {
    /// Makes the context current on the calling thread, which becomes the render thread.
    func makeCurrent() throws(GLError)

    /// Makes no context current on the calling thread, so that another thread may take this one.
    func clearCurrent()

    /// The capabilities of its OpenGL, read once when the context was made.
    var capabilities: GLCapabilities { get }

    /// A Boolean value that indicates whether only Playhead calls OpenGL in it while it is current.
    /// If so, bindings are remembered from frame to frame; false by default.
    var isExclusive: Bool { get }

    /// A Boolean value that indicates whether the context belongs to a host, whose pending errors
    /// and running queries must not be touched; false by default.
    var belongsToHost: Bool { get }

    /// The queue of dropped objects' names, which the render thread deletes. A recreated context
    /// has another queue: the names of the old one are invalid.
    var deletionQueue: GLDeletionQueue { get }

    /// The group of contexts that see the same textures and buffers as this one.
    var shareGroup: GLShareGroup { get }

    /// The owner of the context's objects and of their mapped memory. Code that uses such memory on
    /// another thread holds it, and the context is not destroyed before it is released.
    var storage: AnyObject { get }

    /// The log of the driver's messages; empty unless the context is a debug context.
    var messages: GLMessageLog { get }

    /// The record of the context's loss. A recreated context has another.
    var loss: GLContextLoss { get }
}

extension GLContext {
    /// False: other code may call OpenGL in it.
    public var isExclusive: Bool { false }
    /// False: it is one of our own.
    public var belongsToHost: Bool { false }
}

// SPDX-License-Identifier: Apache-2.0

/// An OpenGL context of version 3.3 core or later. It belongs to a window or to a host, or is
/// headless. A host's context may also be OpenGL ES 3.0 or later.
///
/// Everything that draws is given a context. There is no global context.
///
/// - Concurrency: a context is current on one thread at a time, the render thread, and every other
///   object of this module is used on that thread only. The context itself may move to another
///   thread while it is current on no thread.
/// - Ownership: a context outlives the objects that were created in it. When it is destroyed, the
///   driver frees the objects that are left.
/// - Corresponds to: `CGLContextObj`, `EGLContext`, `GLXContext`.
public protocol GLContext: AnyObject, Sendable {
    /// Makes the context current on the calling thread, which becomes the render thread.
    func makeCurrent() throws(GLError)

    /// Makes no context current on the calling thread, so that another thread can make this one
    /// current.
    func clearCurrent()

    /// The capabilities of the context's OpenGL, read once when the context was created.
    var capabilities: GLCapabilities { get }

    /// A Boolean value that indicates whether, while the context is current, only Playhead calls
    /// OpenGL in it. If so, bindings are remembered from frame to frame. The default is false.
    var isExclusive: Bool { get }

    /// A Boolean value that indicates whether the context belongs to a host, whose pending errors
    /// and running queries must not be touched; false by default.
    var belongsToHost: Bool { get }

    /// The queue of the names of released objects, which the render thread deletes. A recreated
    /// context has a new queue, because the names in the old queue are invalid.
    var deletionQueue: GLDeletionQueue { get }

    /// The group of contexts that see the same textures and buffers as this one.
    var shareGroup: GLShareGroup { get }

    /// The owner of the context's objects and of their mapped memory. Code that uses the memory on
    /// another thread holds this object. The context is not destroyed before the object is
    /// released.
    var storage: AnyObject { get }

    /// The log of the driver's messages; empty unless the context is a debug context.
    var messages: GLMessageLog { get }

    /// A record of whether the context has been lost. A recreated context has a new record.
    var loss: GLContextLoss { get }
}

extension GLContext {
    /// False: other code may call OpenGL in the context.
    public var isExclusive: Bool { false }
    /// False: the context was created by Playhead.
    public var belongsToHost: Bool { false }
}

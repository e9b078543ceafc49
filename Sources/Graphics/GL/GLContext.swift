// SPDX-License-Identifier: Apache-2.0

/// An OpenGL context, 3.3 core or later: a window's, a headless one, or a host's, which may be of
/// OpenGL ES 3.0 or later.
///
/// Everything in the rooms above that draws is given a context; there is no global one.
///
/// - Concurrency: a context is current on one thread at a time, the render thread, and every other
///   object of this module is used on that thread only. The context object itself may be handed
///   from thread to thread while it is current on none.
/// - Ownership: outlives the objects made in it; what is left when it goes is freed by the driver.
/// - Corresponds to: `CGLContextObj`, `EGLContext`, `GLXContext`.
public protocol GLContext: AnyObject, Sendable {
    /// Makes the context current on the calling thread, which becomes the render thread.
    func makeCurrent() throws(GLError)

    /// Makes no context current on the calling thread, so that another may take this one.
    func clearCurrent()

    /// What this OpenGL can do; read once when the context was made.
    var capabilities: GLCapabilities { get }

    /// Whether nobody but Playhead calls OpenGL in it while it is current: then what is bound is
    /// remembered from frame to frame. False unless a context says otherwise.
    var isExclusive: Bool { get }

    /// Whether it is a host's, whose pending errors and running queries are left alone. False unless a
    /// context says otherwise.
    var belongsToHost: Bool { get }

    /// Where names of dropped objects wait until the render thread deletes them. A context that was
    /// made anew has another: names of objects that went with the old one mean nothing any more.
    var deletionQueue: GLDeletionQueue { get }

    /// The contexts that see the same textures and buffers as this one.
    var shareGroup: GLShareGroup { get }

    /// What keeps the context's objects alive, and memory that they are mapped to: whoever uses such
    /// memory on another thread holds it, and the context is not destroyed before.
    var storage: AnyObject { get }

    /// What the driver has to say, where the context is a debug context.
    var messages: GLMessageLog { get }

    /// Whether the context has been lost. A context that was made anew has another.
    var loss: GLContextLoss { get }
}

extension GLContext {
    public var isExclusive: Bool { false }
    public var belongsToHost: Bool { false }
}

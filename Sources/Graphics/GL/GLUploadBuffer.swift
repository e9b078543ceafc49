// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// Memory of OpenGL's that the processor writes and textures are filled from.
///
/// - Concurrency: made and used on the render thread. A persistent one's memory may be written on any
///   thread while OpenGL does not read it, and holds what is needed for that: the context may go.
/// - Ownership: owns its name. Its memory stays mapped as long as it lives.
/// - Corresponds to: a pixel unpack buffer; if persistent, mapped by `GL_ARB_buffer_storage`.
package final class GLUploadBuffer: @unchecked Sendable {
    // Unchecked: constant, but for `fence`, which the render thread alone touches.
    /// OpenGL's name of it.
    package let name: UInt32
    /// Its size.
    package let byteCount: Int
    /// Where it is mapped; nil if it is mapped anew for each writing.
    package let memory: UnsafeMutableRawPointer?
    /// Reached when OpenGL has read what it was told to.
    package var fence: GLFence?
    private let deletionQueue: GLDeletionQueue
    /// What keeps the mapping from going away with the context.
    private let storage: AnyObject

    /// - Parameter isPersistent: whether it stays mapped, so that a decoder can work in it.
    /// - Throws: `GLError.outOfMemory`, or `.contextLost` in a context that is.
    package init(byteCount: Int, isPersistent: Bool, context: any GLContext) throws(GLError) {
        context.deletionQueue.preconditionOnRenderThread()
        deletionQueue = context.deletionQueue
        storage = context.storage
        self.byteCount = byteCount
        var name: UInt32 = 0
        ph_glGenBuffers(1, &name)
        self.name = name
        deletionQueue.didMake(.buffer, byteCount: byteCount)
        let target = UInt32(GL_PIXEL_UNPACK_BUFFER)
        ph_glBindBuffer(target, name)
        defer { ph_glBindBuffer(target, 0) }
        GLLabel.set("upload", of: .buffer, name, in: context)
        guard isPersistent else {
            GLTurns.take { ph_glBufferData(target, byteCount, nil, UInt32(GL_STREAM_DRAW)) }
            memory = nil
            return
        }
        // Read too: decoders refer to pictures that they have made.
        let access =
            GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT
        ph_glBufferStorage(target, byteCount, UInt32(access | GL_CLIENT_STORAGE_BIT))
        memory = GLTurns.take { ph_glMapBufferRange(target, 0, byteCount, UInt32(access)) }
        guard memory != nil else {
            throw context.loss.check(context.capabilities)
                ? .contextLost : .outOfMemory(during: "mapping a buffer of \(byteCount) bytes")
        }
    }

    deinit { deletionQueue.enqueue(.buffer, name, byteCount: byteCount) }

    /// Whether OpenGL reads it no more.
    package var isIdle: Bool {
        guard let fence else { return true }
        guard fence.isReached else { return false }
        self.fence = nil
        return true
    }

    /// Lets the processor write; what was there before is lost. OpenGL must not be reading it.
    ///
    /// - Returns: false if it cannot be mapped.
    package func write(_ body: (UnsafeMutableRawPointer) -> Void) -> Bool {
        if let memory {
            body(memory)
            return true
        }
        let target = UInt32(GL_PIXEL_UNPACK_BUFFER)
        ph_glBindBuffer(target, name)
        defer { ph_glBindBuffer(target, 0) }
        let access = GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT | GL_MAP_UNSYNCHRONIZED_BIT
        let mapped = GLTurns.take { ph_glMapBufferRange(target, 0, byteCount, UInt32(access)) }
        guard let memory = mapped else {
            return false
        }
        body(memory)
        return GLTurns.take { ph_glUnmapBuffer(target) } != 0
    }

    /// Makes the uploads of `body` take their texels from here, and notes when they are done.
    package func read(context: any GLContext, _ body: () -> Void) {
        let target = UInt32(GL_PIXEL_UNPACK_BUFFER)
        ph_glBindBuffer(target, name)
        body()
        ph_glBindBuffer(target, 0)
        fence = GLFence(context: context)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// An OpenGL buffer that the CPU writes and from which textures are filled.
///
/// - Concurrency: created and used on the render thread. The memory of a persistent buffer may be
///   written on any thread while OpenGL does not read it. The buffer holds its context's storage,
///   so the context may be released before the buffer.
/// - Ownership: owns its OpenGL name. The memory of a persistent buffer stays mapped as long as the
///   buffer exists.
/// - Corresponds to: a pixel unpack buffer; a persistent buffer is mapped by
///   `GL_ARB_buffer_storage`.
package final class GLUploadBuffer: @unchecked Sendable {
    // Unchecked: constant, except for `fence`, which only the render thread uses.
    /// The OpenGL name of the buffer object.
    package let name: UInt32
    /// The size, in bytes.
    package let byteCount: Int
    /// The mapped memory; nil if the buffer is mapped for each write.
    package let memory: UnsafeMutableRawPointer?
    /// The fence after the last commands that read the buffer.
    package var fence: GLFence?
    private let deletionQueue: GLDeletionQueue
    /// The owner of the mapping, which keeps the mapping valid after the context is released.
    private let storage: AnyObject

    /// Creates a buffer.
    ///
    /// - Parameter isPersistent: true if the buffer stays mapped, so that a decoder can work in it.
    /// - Throws: `GLError.outOfMemory`, or `.contextLost` in a lost context.
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
            GLDriverLock.withLock {
                ph_glBufferData(target, byteCount, nil, UInt32(GL_STREAM_DRAW))
            }
            memory = nil
            return
        }
        // The memory is readable too, because decoders read the frames that they have decoded as
        // references.
        let access =
            GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT
        ph_glBufferStorage(target, byteCount, UInt32(access | GL_CLIENT_STORAGE_BIT))
        memory = GLDriverLock.withLock { ph_glMapBufferRange(target, 0, byteCount, UInt32(access)) }
        guard memory != nil else {
            throw context.loss.check(context.capabilities)
                ? .contextLost : .outOfMemory(during: "mapping a buffer of \(byteCount) bytes")
        }
    }

    deinit { deletionQueue.enqueue(.buffer, name, byteCount: byteCount) }

    /// A Boolean value that indicates whether OpenGL has finished reading the buffer.
    package var isIdle: Bool {
        guard let fence else { return true }
        guard fence.isReached else { return false }
        self.fence = nil
        return true
    }

    /// Calls `body` to write the buffer. The previous contents are lost. OpenGL must not be reading
    /// the buffer.
    ///
    /// - Returns: false if the buffer cannot be mapped.
    package func write(_ body: (UnsafeMutableRawPointer) -> Void) -> Bool {
        if let memory {
            body(memory)
            return true
        }
        let target = UInt32(GL_PIXEL_UNPACK_BUFFER)
        ph_glBindBuffer(target, name)
        defer { ph_glBindBuffer(target, 0) }
        let access = GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT | GL_MAP_UNSYNCHRONIZED_BIT
        let mapped = GLDriverLock.withLock {
            ph_glMapBufferRange(target, 0, byteCount, UInt32(access))
        }
        guard let memory = mapped else {
            return false
        }
        body(memory)
        return GLDriverLock.withLock { ph_glUnmapBuffer(target) } != 0
    }

    /// Makes the uploads in `body` read their texels from this buffer, and sets the fence after
    /// them.
    package func read(context: any GLContext, _ body: () -> Void) {
        let target = UInt32(GL_PIXEL_UNPACK_BUFFER)
        ph_glBindBuffer(target, name)
        body()
        ph_glBindBuffer(target, 0)
        fence = GLFence(context: context)
    }
}

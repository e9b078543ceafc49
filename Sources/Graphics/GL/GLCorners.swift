// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A buffer with the corners of the unit square: as a triangle strip, then as two triangles. Vertex
/// shaders read them at location 0.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
final class GLCorners {
    static let attributeIndex: UInt32 = 0
    /// The vertices of the strip.
    static let strip: Range<Int32> = 0..<4
    /// The vertices of the triangles, which have the order of mpv's.
    static let triangles: Range<Int32> = 4..<10

    private let buffer: UInt32
    private let deletionQueue: GLDeletionQueue

    /// Creates the buffer.
    ///
    /// - Parameter label: the name of the buffer's owner, for debuggers.
    init(label: String, context: any GLContext) {
        deletionQueue = context.deletionQueue
        deletionQueue.preconditionOnRenderThread()
        var name: UInt32 = 0
        ph_glGenBuffers(1, &name)
        buffer = name
        deletionQueue.didMake(.buffer)
        ph_glBindBuffer(UInt32(GL_ARRAY_BUFFER), buffer)
        let corners: [Float] = [
            0, 0, 1, 0, 0, 1, 1, 1,
            0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1,
        ]
        GLDriverLock.withLock {
            ph_glBufferData(
                UInt32(GL_ARRAY_BUFFER), corners.count * MemoryLayout<Float>.size, corners,
                UInt32(GL_STATIC_DRAW))
        }
        GLLabel.set(label, of: .buffer, buffer, in: context)
    }

    deinit { deletionQueue.enqueue(.buffer, buffer) }

    /// Makes the corners an attribute of the bound vertex array.
    func attach() {
        ph_glBindBuffer(UInt32(GL_ARRAY_BUFFER), buffer)
        ph_glEnableVertexAttribArray(Self.attributeIndex)
        ph_glVertexAttribPointer(Self.attributeIndex, 2, UInt32(GL_FLOAT), 0, 0, 0)
    }
}

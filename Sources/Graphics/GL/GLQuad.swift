// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// The unit square, drawn as two triangles: all the geometry that video needs.
///
/// A vertex shader gets its corners, (0, 0) to (1, 1), as `in vec2 corner`.
///
/// - Concurrency: render thread; the last reference may go on any thread.
/// - Corresponds to: a vertex array object with its buffer.
public final class GLQuad {
    static let attributeIndex: UInt32 = 0

    private let vertexArray: UInt32
    private let buffer: UInt32
    private let deletionQueue: GLDeletionQueue

    public init(context: any GLContext) {
        deletionQueue = context.deletionQueue
        deletionQueue.preconditionOnRenderThread()
        var name: UInt32 = 0
        ph_glGenVertexArrays(1, &name)
        vertexArray = name
        ph_glGenBuffers(1, &name)
        buffer = name
        deletionQueue.didMake(.vertexArray)
        deletionQueue.didMake(.buffer)
        GLBindings.current.bind(vertexArray: vertexArray)
        ph_glBindBuffer(UInt32(GL_ARRAY_BUFFER), buffer)
        let corners: [Float] = [0, 0, 1, 0, 0, 1, 1, 1]
        ph_glBufferData(
            UInt32(GL_ARRAY_BUFFER), corners.count * MemoryLayout<Float>.size, corners,
            UInt32(GL_STATIC_DRAW))
        ph_glEnableVertexAttribArray(Self.attributeIndex)
        ph_glVertexAttribPointer(Self.attributeIndex, 2, UInt32(GL_FLOAT), 0, 0, 0)
        GLLabel.set("quad", of: .vertexArray, vertexArray, in: context)
        GLLabel.set("quad", of: .buffer, buffer, in: context)
        GLBindings.current.bind(vertexArray: 0)
        ph_glBindBuffer(UInt32(GL_ARRAY_BUFFER), 0)
    }

    deinit {
        deletionQueue.enqueue(.vertexArray, vertexArray)
        deletionQueue.enqueue(.buffer, buffer)
    }

    /// Makes this the geometry that `draw` draws.
    public func bind() { GLBindings.current.bind(vertexArray: vertexArray) }

    /// Draws the square with the program in use; the quad must be bound.
    public func draw() { ph_glDrawArrays(UInt32(GL_TRIANGLE_STRIP), 0, 4) }
}

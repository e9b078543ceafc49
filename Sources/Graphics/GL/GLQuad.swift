// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// The unit square, drawn as two triangles. Video needs no other geometry.
///
/// A vertex shader reads its corners, (0, 0) to (1, 1), as `in vec2 corner`.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Corresponds to: a vertex array object with its buffer.
package final class GLQuad {
    private let vertexArray: UInt32
    private let corners: GLCorners
    private let deletionQueue: GLDeletionQueue

    package init(context: any GLContext) {
        deletionQueue = context.deletionQueue
        deletionQueue.preconditionOnRenderThread()
        corners = GLCorners(label: "quad", context: context)
        var name: UInt32 = 0
        ph_glGenVertexArrays(1, &name)
        vertexArray = name
        deletionQueue.didMake(.vertexArray)
        GLBindings.current.bind(vertexArray: vertexArray)
        corners.attach()
        GLLabel.set("quad", of: .vertexArray, vertexArray, in: context)
        GLBindings.current.bind(vertexArray: 0)
        ph_glBindBuffer(UInt32(GL_ARRAY_BUFFER), 0)
    }

    deinit { deletionQueue.enqueue(.vertexArray, vertexArray) }

    /// Makes this the geometry that `draw` draws.
    package func bind() { GLBindings.current.bind(vertexArray: vertexArray) }

    /// Draws the square with the program in use; the quad must be bound.
    package func draw() { draw(GL_TRIANGLE_STRIP, GLCorners.strip) }

    /// Draws the square as two triangles whose vertices have the order of mpv's.
    ///
    /// OpenGL does not define how a varying is rounded, and drivers compute it from the vertices
    /// of each triangle in their order. The same triangles have the same values.
    package func drawTriangles() { draw(GL_TRIANGLES, GLCorners.triangles) }

    private func draw(_ mode: Int32, _ vertices: Range<Int32>) {
        GLDriverLock.withLock {
            ph_glDrawArrays(UInt32(mode), vertices.lowerBound, Int32(vertices.count))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// The unit square, drawn many times in one call, each time with different attributes.
///
/// A vertex shader reads the corner of the square at location 0, and the vectors of the instance
/// from location 1 on. Each vector has four floats.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Corresponds to: `glDrawArraysInstanced` with attributes of divisor 1.
package final class GLInstances {
    private let vertexArray: UInt32
    private let corners: GLCorners
    private let buffer: UInt32
    private let deletionQueue: GLDeletionQueue

    /// Creates the geometry.
    ///
    /// - Parameter vectorCount: the number of vectors of four floats for each instance, at most 15.
    package init(vectorCount: Int, context: any GLContext) {
        // OpenGL 3.3 core, table 6.44, guarantees 16 attributes.
        precondition((1...15).contains(vectorCount), "a vertex has at most 16 attributes")
        deletionQueue = context.deletionQueue
        deletionQueue.preconditionOnRenderThread()
        corners = GLCorners(label: "corners of instances", context: context)
        var name: UInt32 = 0
        ph_glGenVertexArrays(1, &name)
        vertexArray = name
        ph_glGenBuffers(1, &name)
        buffer = name
        deletionQueue.didMake(.vertexArray)
        deletionQueue.didMake(.buffer)
        GLBindings.current.bind(vertexArray: vertexArray)
        corners.attach()
        ph_glBindBuffer(UInt32(GL_ARRAY_BUFFER), buffer)
        let stride = MemoryLayout<SIMD4<Float>>.stride
        for index in 0..<vectorCount {
            let location = UInt32(index + 1)
            ph_glEnableVertexAttribArray(location)
            ph_glVertexAttribPointer(
                location, 4, UInt32(GL_FLOAT), 0, Int32(stride * vectorCount), stride * index)
            ph_glVertexAttribDivisor(location, 1)
        }
        GLLabel.set("instances", of: .vertexArray, vertexArray, in: context)
        GLLabel.set("instances", of: .buffer, buffer, in: context)
        GLBindings.current.bind(vertexArray: 0)
        ph_glBindBuffer(UInt32(GL_ARRAY_BUFFER), 0)
    }

    deinit {
        deletionQueue.enqueue(.vertexArray, vertexArray)
        deletionQueue.enqueue(.buffer, buffer)
    }

    /// Draws the square once for each instance, in order, with the program in use.
    ///
    /// - Parameter instances: vectors of four floats, `vectorCount` for each instance.
    package func draw(_ instances: UnsafeRawBufferPointer, count: Int) {
        GLBindings.current.bind(vertexArray: vertexArray)
        ph_glBindBuffer(UInt32(GL_ARRAY_BUFFER), buffer)
        // The buffer gets new storage for each draw, so that the call does not wait until the GPU
        // has read the old storage.
        GLDriverLock.withLock {
            ph_glBufferData(
                UInt32(GL_ARRAY_BUFFER), instances.count, instances.baseAddress,
                UInt32(GL_STREAM_DRAW))
            ph_glDrawArraysInstanced(UInt32(GL_TRIANGLE_STRIP), 0, 4, Int32(count))
        }
    }
}

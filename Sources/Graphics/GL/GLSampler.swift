// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// How a texture is read between its texels and beyond its edges.
///
/// - Concurrency: render thread; the last reference may go on any thread.
/// - Corresponds to: a sampler object.
package final class GLSampler {
    /// What a sampler makes of a place between texels.
    package enum Filter: Sendable, Hashable {
        /// The nearest texel: right when a picture is drawn texel for pixel, and on software GL
        /// half the cost of the other.
        case nearest
        /// A mixture of the four nearest texels.
        case linear
    }

    /// OpenGL's name of it.
    package let name: UInt32
    /// How it samples.
    package let filter: Filter
    private let deletionQueue: GLDeletionQueue

    /// - Parameter isRepeated: whether the texture is repeated beyond its edges; else their texels are.
    package init(_ filter: Filter, isRepeated: Bool = false, context: any GLContext) {
        context.deletionQueue.preconditionOnRenderThread()
        var name: UInt32 = 0
        ph_glGenSamplers(1, &name)
        self.name = name
        self.filter = filter
        deletionQueue = context.deletionQueue
        deletionQueue.didMake(.sampler)
        GLLabel.set("\(filter)", of: .sampler, name, in: context)
        let code = filter == .nearest ? GL_NEAREST : GL_LINEAR
        ph_glSamplerParameteri(name, UInt32(GL_TEXTURE_MIN_FILTER), code)
        ph_glSamplerParameteri(name, UInt32(GL_TEXTURE_MAG_FILTER), code)
        let wrap = isRepeated ? GL_REPEAT : GL_CLAMP_TO_EDGE
        ph_glSamplerParameteri(name, UInt32(GL_TEXTURE_WRAP_S), wrap)
        ph_glSamplerParameteri(name, UInt32(GL_TEXTURE_WRAP_T), wrap)
    }

    deinit { deletionQueue.enqueue(.sampler, name) }
}

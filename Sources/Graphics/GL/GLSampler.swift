// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// The way in which a texture is sampled between its texels and beyond its edges.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Corresponds to: a sampler object.
package final class GLSampler {
    /// The interpolation between texels.
    package enum Filter: Sendable, Hashable {
        /// The nearest texel. This is correct if an image is drawn texel for pixel, and costs half
        /// as much as `linear` on software OpenGL.
        case nearest
        /// The weighted mean of the four nearest texels.
        case linear
    }

    /// The OpenGL name of the sampler object.
    package let name: UInt32
    /// The interpolation between texels.
    package let filter: Filter
    private let deletionQueue: GLDeletionQueue

    /// Creates a sampler.
    ///
    /// - Parameter isRepeated: true to repeat the texture beyond its edges, false to repeat only
    ///   its edge texels.
    package init(_ filter: Filter, isRepeated: Bool = false, context: any GLContext) {
        context.deletionQueue.preconditionOnRenderThread()
        var name: UInt32 = 0
        ph_glGenSamplers(1, &name)
        self.name = name
        self.filter = filter
        deletionQueue = context.deletionQueue
        deletionQueue.didMake(.sampler)
        let code = filter == .nearest ? GL_NEAREST : GL_LINEAR
        ph_glSamplerParameteri(name, UInt32(GL_TEXTURE_MIN_FILTER), code)
        ph_glSamplerParameteri(name, UInt32(GL_TEXTURE_MAG_FILTER), code)
        let wrap = isRepeated ? GL_REPEAT : GL_CLAMP_TO_EDGE
        ph_glSamplerParameteri(name, UInt32(GL_TEXTURE_WRAP_S), wrap)
        ph_glSamplerParameteri(name, UInt32(GL_TEXTURE_WRAP_T), wrap)
        // The label is set last, because a name becomes an object when it is first used, and
        // NVIDIA's driver refuses to label a mere name.
        GLLabel.set("\(filter)", of: .sampler, name, in: context)
    }

    deinit { deletionQueue.enqueue(.sampler, name) }
}

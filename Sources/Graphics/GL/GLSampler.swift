// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// How a texture is read between its texels; beyond its edges the edge texels repeat.
///
/// - Concurrency: render thread; the last reference may go on any thread.
/// - Corresponds to: a sampler object.
public final class GLSampler {
    public enum Filter: Sendable, Hashable {
        /// The nearest texel: right when a picture is drawn texel for pixel, and on software GL
        /// half the cost of the other.
        case nearest
        /// A mixture of the four nearest texels.
        case linear
    }

    public let name: UInt32
    public let filter: Filter
    private let deletionQueue: GLDeletionQueue

    public init(_ filter: Filter, context: any GLContext) {
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
        ph_glSamplerParameteri(name, UInt32(GL_TEXTURE_WRAP_S), GL_CLAMP_TO_EDGE)
        ph_glSamplerParameteri(name, UInt32(GL_TEXTURE_WRAP_T), GL_CLAMP_TO_EDGE)
    }

    deinit { deletionQueue.enqueue(.sampler, name) }
}

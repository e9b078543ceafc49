// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// Runs compute shaders that write one image.
///
/// - Concurrency: render thread.
package enum GLCompute {
    /// Runs the program in use, which writes image unit 0, and makes the result visible to samplers
    /// and framebuffers.
    ///
    /// - Parameters:
    ///   - groups: the number of work groups in each direction.
    ///   - texture: the texture to write, of the format `rgba16f`.
    package static func run(groups: (x: Int, y: Int), writing texture: GLTexture) {
        ph_glBindImageTexture(0, texture.name, UInt32(GL_WRITE_ONLY), UInt32(GL_RGBA16F))
        GLDriverLock.withLock {
            ph_glDispatchCompute(UInt32(groups.x), UInt32(groups.y), 1)
            ph_glMemoryBarrier(
                UInt32(GL_TEXTURE_FETCH_BARRIER_BIT | GL_FRAMEBUFFER_BARRIER_BIT))
        }
        ph_glBindImageTexture(0, 0, UInt32(GL_WRITE_ONLY), UInt32(GL_RGBA16F))
    }
}

extension GLCapabilities {
    /// A Boolean value that indicates whether compute shaders are supported: OpenGL 4.3 or OpenGL
    /// ES 3.1.
    package var hasComputeShaders: Bool { version >= (isES ? 31 : 43) }
    /// A Boolean value that indicates whether shaders can write images: OpenGL 4.2 or OpenGL ES
    /// 3.1.
    package var hasImageStores: Bool { version >= (isES ? 31 : 42) }
}

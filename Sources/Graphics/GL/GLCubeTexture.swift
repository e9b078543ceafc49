// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A cube map: six square images, which shaders sample with a direction.
///
/// It has its own filter, so it is bound without a `GLSampler`.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Ownership: owns its OpenGL name, which is added to the context's deletion queue on release.
package final class GLCubeTexture {
    private let name: UInt32
    private let byteCount: Int
    private let deletionQueue: GLDeletionQueue

    /// Creates a cube map from its faces, in the order +x, -x, +y, -y, +z, -z. The first row of a
    /// face is its top row (OpenGL 4.6 core, table 8.19).
    ///
    /// - Parameter isNearest: A Boolean value that indicates whether texels are read without
    ///   interpolation and mipmaps.
    /// - Throws: `GLError.textureTooLarge`.
    /// - Precondition: there are six faces of 8 bits a channel, all of them squares of one size.
    package init(
        faces: [GLFramebuffer], isNearest: Bool, context: any GLContext
    ) throws(GLError) {
        context.deletionQueue.preconditionOnRenderThread()
        precondition(
            faces.count == 6
                && faces.allSatisfy {
                    $0.width == faces[0].width && $0.height == faces[0].width
                        && $0.texture.format == .rgba8
                }, "a cube map has six square faces of one size and format")
        let size = faces[0].width
        var maximum: Int32 = 0
        ph_glGetIntegerv(UInt32(GL_MAX_CUBE_MAP_TEXTURE_SIZE), &maximum)
        guard size <= Int(maximum) else {
            throw .textureTooLarge(width: size, height: size, maximum: Int(maximum))
        }
        let target = UInt32(GL_TEXTURE_CUBE_MAP)
        // The mipmaps add a third.
        byteCount = size * size * 4 * 6 * (isNearest ? 3 : 4) / 3
        var name: UInt32 = 0
        ph_glGenTextures(1, &name)
        self.name = name
        deletionQueue = context.deletionQueue
        deletionQueue.didMake(.texture, byteCount: byteCount)
        let bindings = GLBindings.current
        bindings.bind(table: name, target: target, unit: 0)
        for (parameter, value) in [
            (GL_TEXTURE_MIN_FILTER, isNearest ? GL_NEAREST : GL_LINEAR_MIPMAP_LINEAR),
            (GL_TEXTURE_MAG_FILTER, isNearest ? GL_NEAREST : GL_LINEAR),
            (GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE), (GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE),
            (GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE),
        ] {
            ph_glTexParameteri(target, UInt32(parameter), value)
        }
        // OpenGL ES filters across the edges of faces by itself.
        if !context.capabilities.isES,
            ph_epoxy_has_gl_extension("GL_ARB_seamless_cubemap_per_texture")
        {
            ph_glTexParameteri(target, UInt32(GL_TEXTURE_CUBE_MAP_SEAMLESS), GL_TRUE)
        }
        for (index, face) in faces.enumerated() {
            let side = UInt32(GL_TEXTURE_CUBE_MAP_POSITIVE_X) + UInt32(index)
            bindings.bind(framebuffer: face.name)
            ph_glCopyTexImage2D(side, 0, UInt32(GL_RGBA8), 0, 0, Int32(size), Int32(size))
        }
        if !isNearest { ph_glGenerateMipmap(target) }
    }

    deinit { deletionQueue.enqueue(.texture, name, byteCount: byteCount) }

    /// Binds the cube map to a texture unit.
    package func bind(unit: Int) {
        let bindings = GLBindings.current
        bindings.bind(table: name, target: UInt32(GL_TEXTURE_CUBE_MAP), unit: unit)
        bindings.bind(sampler: 0, unit: unit)
    }
}

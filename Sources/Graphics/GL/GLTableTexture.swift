// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A texture of one, two or three dimensions that contains a table for shaders. Its content is
/// fixed unless shaders write it as an image.
///
/// It has its own filter and border, so it is bound without a `GLSampler`.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Ownership: owns its OpenGL name, which is added to the context's deletion queue on release.
package final class GLTableTexture {
    private let name: UInt32
    private let target: UInt32
    private let byteCount: Int
    private let internalFormat: UInt32
    private let deletionQueue: GLDeletionQueue

    /// The values that are read beyond the edges.
    package enum Border: Sendable, Hashable {
        case clamp, `repeat`, mirror
    }

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - size: the lengths of the one to three sides, in texels.
    ///   - bytes: the texels, without padding; empty for zeros.
    /// - Throws: `GLError.unavailable` for a one-dimensional table with OpenGL ES;
    ///   `.textureTooLarge`.
    package init(
        size: [Int], format: GLTextureFormat, bytes: [UInt8], isLinear: Bool, border: Border,
        context: any GLContext
    ) throws(GLError) {
        context.deletionQueue.preconditionOnRenderThread()
        guard size.count > 1 || !context.capabilities.isES else {
            throw .unavailable(reason: "OpenGL ES has no one-dimensional textures")
        }
        // OpenGL 3.3 core, table 6.51, guarantees 256 texels in each of three dimensions.
        let maximum = size.count == 3 ? 256 : context.capabilities.maximumTextureSize
        guard let longest = size.max(), longest <= maximum else {
            throw .textureTooLarge(
                width: size[0], height: size.count > 1 ? size[1] : 1, maximum: maximum)
        }
        target = UInt32([GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D][size.count - 1])
        let bytes =
            bytes.isEmpty
            ? [UInt8](repeating: 0, count: size.reduce(format.bytesPerTexel, *)) : bytes
        byteCount = bytes.count
        internalFormat = format.internalFormatCode
        var name: UInt32 = 0
        ph_glGenTextures(1, &name)
        self.name = name
        deletionQueue = context.deletionQueue
        deletionQueue.didMake(.texture, byteCount: byteCount)
        let bindings = GLBindings.current
        bindings.bind(table: name, target: target, unit: 0)
        let wrap =
            switch border {
            case .clamp: GL_CLAMP_TO_EDGE
            case .repeat: GL_REPEAT
            case .mirror: GL_MIRRORED_REPEAT
            }
        for (parameter, value) in [
            (GL_TEXTURE_MIN_FILTER, isLinear ? GL_LINEAR : GL_NEAREST),
            (GL_TEXTURE_MAG_FILTER, isLinear ? GL_LINEAR : GL_NEAREST),
            (GL_TEXTURE_WRAP_S, wrap), (GL_TEXTURE_WRAP_T, wrap), (GL_TEXTURE_WRAP_R, wrap),
            (GL_TEXTURE_MAX_LEVEL, 0),
        ] {
            ph_glTexParameteri(target, UInt32(parameter), value)
        }
        bindings.set(unpackAlignment: 1)
        bindings.set(unpackRowLength: 0)
        bytes.withUnsafeBytes { bytes in
            let sides = size.map { Int32($0) }
            let (level, pixels) = (Int32(0), bytes.baseAddress)
            // Shaders of OpenGL ES write only to tables whose format cannot change: OpenGL ES 3.1,
            // 8.22.
            let isFixed = context.capabilities.isES
            switch sides.count {
            case 1:
                ph_glTexImage1D(
                    target, level, format.internalFormat, sides[0], format.format, format.type,
                    pixels)
            case 2 where isFixed:
                ph_glTexStorage2D(target, 1, format.internalFormatCode, sides[0], sides[1])
                ph_glTexSubImage2D(
                    target, level, 0, 0, sides[0], sides[1], format.format, format.type, pixels)
            case 2:
                ph_glTexImage2D(
                    target, level, format.internalFormat, sides[0], sides[1], format.format,
                    format.type, pixels)
            case 3 where isFixed:
                ph_glTexStorage3D(
                    target, 1, format.internalFormatCode, sides[0], sides[1], sides[2])
                ph_glTexSubImage3D(
                    target, level, 0, 0, 0, sides[0], sides[1], sides[2], format.format,
                    format.type, pixels)
            default:
                ph_glTexImage3D(
                    target, level, format.internalFormat, sides[0], sides[1], sides[2],
                    format.format, format.type, pixels)
            }
        }
        if !bindings.isTrusted { bindings.set(unpackAlignment: 4) }
    }

    deinit { deletionQueue.enqueue(.texture, name, byteCount: byteCount) }

    /// Binds the table to an image unit, so that shaders can write it.
    package func bindImage(unit: Int) {
        ph_glBindImageTexture(UInt32(unit), name, UInt32(GL_READ_WRITE), internalFormat)
    }

    /// Unbinds an image unit, and makes the values that shaders wrote visible to later shaders.
    package static func endImage(unit: Int) {
        ph_glBindImageTexture(UInt32(unit), 0, UInt32(GL_READ_ONLY), UInt32(GL_RGBA8))
        ph_glMemoryBarrier(
            UInt32(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT))
    }

    /// Binds the table to a texture unit.
    package func bind(unit: Int) {
        let bindings = GLBindings.current
        bindings.bind(table: name, target: target, unit: unit)
        bindings.bind(sampler: 0, unit: unit)
    }
}

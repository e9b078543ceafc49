// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A two-dimensional texture without mipmaps.
///
/// Its filtering is determined by a `GLSampler`, so that two layers can sample one texture in
/// different ways.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Ownership: owns its OpenGL name, which is added to the context's deletion queue on release.
/// - Corresponds to: a texture object of target `GL_TEXTURE_2D`.
public final class GLTexture {
    /// A mapping from the channels of a texel to the red, green, blue and alpha that a shader
    /// reads.
    ///
    /// - Corresponds to: `GL_TEXTURE_SWIZZLE_RGBA`.
    package struct Swizzle: Sendable, Hashable {
        /// The source of a channel: a channel of the texel or a constant.
        package enum Source: UInt8, Sendable, Hashable {
            case red, green, blue, alpha, zero, one

            /// The OpenGL code, such as `GL_RED`.
            package var code: Int32 {
                switch self {
                case .red: GL_RED
                case .green: GL_GREEN
                case .blue: GL_BLUE
                case .alpha: GL_ALPHA
                case .zero: GL_ZERO
                case .one: GL_ONE
                }
            }

            /// Creates a source from the index of a texel's channel: 0 is red, 3 is alpha.
            package init(channel: Int) {
                precondition((0..<4).contains(channel), "a texel has at most four channels")
                self = [.red, .green, .blue, .alpha][channel]
            }
        }

        /// The source of the channel that shaders read as red.
        package var red: Source
        package var green: Source
        package var blue: Source
        package var alpha: Source

        package init(red: Source, green: Source, blue: Source, alpha: Source) {
            self.red = red
            self.green = green
            self.blue = blue
            self.alpha = alpha
        }

        /// The identity mapping.
        package static let identity = Swizzle(red: .red, green: .green, blue: .blue, alpha: .alpha)
    }

    /// The OpenGL name of the texture object.
    public let name: UInt32
    /// The format of a texel.
    package let format: GLTextureFormat
    /// The width, in texels.
    public let width: Int
    /// The height, in texels.
    public let height: Int
    /// The source of each channel that a shader reads.
    package let swizzle: Swizzle
    private let deletionQueue: GLDeletionQueue

    /// The OpenGL memory of the texture, in bytes, computed from its size.
    package var byteCount: Int { max(1, width) * max(1, height) * format.bytesPerTexel }

    /// Creates a texture with undefined contents.
    ///
    /// - Parameters:
    ///   - label: the name of the texture in debuggers.
    ///   - isShared: true if the texture belongs to all contexts of the group and outlives this
    ///     one.
    /// - Throws: `GLError.textureTooLarge`; `.outOfMemory`, except in a host's context, where
    ///   OpenGL's own error is left to the host.
    package init(
        format: GLTextureFormat, width: Int, height: Int, swizzle: Swizzle = .identity,
        label: String = "", isShared: Bool = false, context: any GLContext
    ) throws(GLError) {
        let maximum = context.capabilities.maximumTextureSize
        guard width <= maximum, height <= maximum else {
            throw .textureTooLarge(width: width, height: height, maximum: maximum)
        }
        context.deletionQueue.preconditionOnRenderThread()
        var name: UInt32 = 0
        ph_glGenTextures(1, &name)
        self.name = name
        self.format = format
        self.width = width
        self.height = height
        self.swizzle = swizzle
        deletionQueue =
            isShared ? context.shareGroup.deletionQueue : context.deletionQueue
        deletionQueue.didMake(
            .texture, byteCount: max(1, width) * max(1, height) * format.bytesPerTexel)

        GLBindings.current.bindForChange(texture: name)
        let parameters = [
            // With the default filter, a texture without mipmaps is incomplete.
            (GL_TEXTURE_MIN_FILTER, GL_LINEAR), (GL_TEXTURE_MAG_FILTER, GL_LINEAR),
            (GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE), (GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE),
            (GL_TEXTURE_MAX_LEVEL, 0),
        ]
        for (parameter, value) in parameters {
            ph_glTexParameteri(UInt32(GL_TEXTURE_2D), UInt32(parameter), value)
        }
        if swizzle != .identity {
            // The channels are set one by one, because OpenGL ES has no call for all of them.
            for (name, source) in [
                (GL_TEXTURE_SWIZZLE_R, swizzle.red), (GL_TEXTURE_SWIZZLE_G, swizzle.green),
                (GL_TEXTURE_SWIZZLE_B, swizzle.blue), (GL_TEXTURE_SWIZZLE_A, swizzle.alpha),
            ] {
                ph_glTexParameteri(UInt32(GL_TEXTURE_2D), UInt32(name), source.code)
            }
        }
        let (columns, rows) = (Int32(max(1, width)), Int32(max(1, height)))
        GLDriverLock.withLock {
            // Compute shaders of OpenGL ES write only to textures whose format cannot change:
            // OpenGL ES 3.1, 8.22.
            if context.capabilities.isES, format == .rgba16Float {
                ph_glTexStorage2D(
                    UInt32(GL_TEXTURE_2D), 1, format.internalFormatCode, columns, rows)
            } else {
                ph_glTexImage2D(
                    UInt32(GL_TEXTURE_2D), 0, format.internalFormat, columns, rows, format.format,
                    format.type, nil)
            }
        }
        GLLabel.set(label, of: .texture, name, in: context)
        // Only large textures are checked for errors, because a query makes a driver wait.
        guard byteCount >= Self.largeByteCount, !context.belongsToHost else { return }
        guard GLState.takeError() != UInt32(GL_OUT_OF_MEMORY) else {
            throw .outOfMemory(during: "creating a texture of \(width) x \(height)")
        }
    }

    /// The size from which the creation of a texture is checked for errors, in bytes. A frame of
    /// 1920 x 1080 in four channels of 8 bits takes half of it.
    private static let largeByteCount = 1 << 24

    deinit { deletionQueue.enqueue(.texture, name, byteCount: byteCount) }

    /// Binds the texture and a sampler to a texture unit.
    package func bind(unit: Int, sampler: GLSampler) {
        let bindings = GLBindings.current
        bindings.bind(texture: name, unit: unit)
        bindings.bind(sampler: sampler.name, unit: unit)
    }

    /// Copies rows of texels from memory to the whole texture.
    ///
    /// The copy is complete when the call returns, and the memory may be freed.
    ///
    /// - Parameters:
    ///   - baseAddress: the first texel of the row at texture coordinate t = 0.
    ///   - bytesPerRow: the distance from one row to the next; any number, including negative ones.
    ///   - isBigEndian: true if channels of two bytes store the high byte first.
    package func upload(
        _ baseAddress: UnsafeRawPointer, bytesPerRow: Int, isBigEndian: Bool = false
    ) {
        upload(UInt(bitPattern: baseAddress), bytesPerRow: bytesPerRow, isBigEndian: isBigEndian)
    }

    /// Schedules a copy of rows of texels from the buffer that is bound for reading
    /// (`GLUploadBuffer.read`) to the whole texture.
    ///
    /// - Parameter offset: the offset of the first texel of the row at texture coordinate t = 0, in
    ///   bytes.
    package func upload(offset: Int, bytesPerRow: Int, isBigEndian: Bool = false) {
        upload(UInt(bitPattern: offset), bytesPerRow: bytesPerRow, isBigEndian: isBigEndian)
    }

    private func upload(_ address: UInt, bytesPerRow: Int, isBigEndian: Bool) {
        deletionQueue.preconditionOnRenderThread()
        let isSwapped = isBigEndian && format.bytesPerChannel > 1
        let bindings = GLBindings.current
        bindings.bindForChange(texture: name)
        if isSwapped { ph_glPixelStorei(UInt32(GL_UNPACK_SWAP_BYTES), 1) }
        bindings.set(unpackAlignment: 1)
        if bytesPerRow > 0, bytesPerRow % format.bytesPerTexel == 0 {
            bindings.set(unpackRowLength: Int32(bytesPerRow / format.bytesPerTexel))
            copyRows(0, height, from: address)
        } else {
            bindings.set(unpackRowLength: 0)
            // Rows that run upwards, or that do not start at a whole texel, are copied one at a
            // time, because OpenGL counts the distance between rows in texels.
            for row in 0..<height {
                copyRows(row, 1, from: address &+ UInt(bitPattern: row * bytesPerRow))
            }
        }
        // Outside of Playhead's frames, the next upload may be by other code, which expects the
        // default.
        if !bindings.isTrusted {
            bindings.set(unpackAlignment: 4)
            bindings.set(unpackRowLength: 0)
        }
        if isSwapped { ph_glPixelStorei(UInt32(GL_UNPACK_SWAP_BYTES), 0) }
    }

    private func copyRows(_ first: Int, _ count: Int, from address: UInt) {
        GLDriverLock.withLock {
            ph_glTexSubImage2D(
                UInt32(GL_TEXTURE_2D), 0, 0, Int32(first), Int32(width), Int32(count),
                format.format, format.type, UnsafeRawPointer(bitPattern: address))
        }
    }
}

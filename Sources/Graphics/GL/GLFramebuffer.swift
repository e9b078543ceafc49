// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
public import PlayheadBuffers

/// A texture that is drawn to.
///
/// - Concurrency: render thread; the last reference may go on any thread.
/// - Ownership: owns its name and holds its texture.
/// - Corresponds to: a framebuffer object with one colour attachment.
public final class GLFramebuffer {
    /// OpenGL's name of it.
    public let name: UInt32
    /// What is drawn into.
    public let texture: GLTexture
    private let deletionQueue: GLDeletionQueue

    /// In pixels: its texture's.
    public var width: Int { texture.width }
    public var height: Int { texture.height }

    /// Makes a framebuffer with a texture of its own, cleared to transparent black.
    ///
    /// - Parameter label: what debuggers call it and its texture.
    /// - Throws: `GLError.textureTooLarge`, `.incompleteFramebuffer`.
    public init(
        format: GLTextureFormat = .rgba8, width: Int, height: Int, label: String = "",
        context: any GLContext
    ) throws(GLError) {
        texture = try GLTexture(
            format: format, width: width, height: height, label: label, context: context)
        deletionQueue = context.deletionQueue
        var name: UInt32 = 0
        ph_glGenFramebuffers(1, &name)
        self.name = name
        deletionQueue.didMake(.framebuffer)
        GLBindings.current.bind(framebuffer: name)
        ph_glFramebufferTexture2D(
            UInt32(GL_FRAMEBUFFER), UInt32(GL_COLOR_ATTACHMENT0), UInt32(GL_TEXTURE_2D),
            texture.name, 0)
        let status = ph_glCheckFramebufferStatus(UInt32(GL_FRAMEBUFFER))
        GLLabel.set(label, of: .framebuffer, name, in: context)
        guard status == UInt32(GL_FRAMEBUFFER_COMPLETE) else {
            throw .incompleteFramebuffer(status: status, width: width, height: height)
        }
        clear()
    }

    deinit { deletionQueue.enqueue(.framebuffer, name) }

    /// Fills the texture with transparent black.
    package func clear() {
        GLState.setTarget(framebuffer: name, width: width, height: height)
        GLState.clear(SIMD4(0, 0, 0, 0))
    }

    /// Copies the whole texture, pixel for pixel, into the framebuffer that is drawn to.
    ///
    /// Where both have one format and the rows run the same way, software GL copies memory;
    /// otherwise it draws, at twenty times the cost.
    ///
    /// - Parameters:
    ///   - target: the framebuffer that is drawn to, 0 being the window's.
    ///   - x: left edge in the target.
    ///   - y: lower edge in the target, as OpenGL counts: from the bottom.
    ///   - isFlipped: whether the texture's first row becomes the upper one. A window's rows run
    ///     the other way in memory, so there this is the copy, and the other the draw.
    package func copy(to target: UInt32, x: Int, y: Int, isFlipped: Bool) {
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), name)
        let (width, height) = (Int32(width), Int32(height))
        let (left, lower) = (Int32(x), Int32(y))
        GLTurns.take {
            ph_glBlitFramebuffer(
                0, isFlipped ? height : 0, width, isFlipped ? 0 : height, left, lower, left + width,
                lower + height, UInt32(GL_COLOR_BUFFER_BIT), UInt32(GL_NEAREST))
        }
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), target)
    }

    /// Copies the whole texture, scaled, into all of another framebuffer, which becomes the one that is
    /// drawn to. Values are mixed as they are: those of floats are not clamped, nor is there anything done
    /// with alpha.
    package func copy(scaledTo target: GLFramebuffer) {
        GLBindings.current.bind(drawFramebuffer: target.name)
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), name)
        let isSameSize = width == target.width && height == target.height
        GLTurns.take {
            ph_glBlitFramebuffer(
                0, 0, Int32(width), Int32(height), 0, 0, Int32(target.width), Int32(target.height),
                UInt32(GL_COLOR_BUFFER_BIT), UInt32(isSameSize ? GL_NEAREST : GL_LINEAR))
        }
        GLState.setTarget(framebuffer: target.name, width: target.width, height: target.height)
    }

    /// Copies a part of another framebuffer, pixel for pixel, into all of this one.
    ///
    /// - Parameters:
    ///   - source: 0 being the window's. It is left as the one that is read from.
    ///   - x: left edge in the source.
    ///   - y: lower edge in the source, as OpenGL counts: from the bottom.
    ///   - isFlipped: whether its upper row becomes the first.
    package func fill(from source: UInt32, x: Int, y: Int, isFlipped: Bool = false) {
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), source)
        GLBindings.current.bind(drawFramebuffer: name)
        let (width, height) = (Int32(width), Int32(height))
        let (left, lower) = (Int32(x), Int32(y))
        GLTurns.take {
            ph_glBlitFramebuffer(
                left, lower, left + width, lower + height, 0, isFlipped ? height : 0, width,
                isFlipped ? 0 : height,
                UInt32(GL_COLOR_BUFFER_BIT), UInt32(GL_NEAREST))
        }
    }

    /// Reads everything back: waits until all drawing is done, so for snapshots and tests only.
    ///
    /// Rows are read as stored, the one at texture coordinate t = 0 first, unless
    /// `isBottomUp` says that t = 0 is the bottom of the picture, as OpenGL draws.
    public func image(isBottomUp: Bool = true) -> RGBAImage {
        Self.image(
            framebuffer: name, width: width, height: height, isBottomUp: isBottomUp)
    }

    /// Reads everything back as numbers, four for each pixel, neither rounded nor clamped: rows from
    /// top to bottom, as `image` has them. Waits likewise.
    package func values(isBottomUp: Bool = true) -> [SIMD4<Float>] {
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), name)
        var values = [SIMD4<Float>](repeating: .zero, count: width * height)
        values.withUnsafeMutableBytes { bytes in
            GLTurns.take {
                ph_glReadPixels(
                    0, 0, Int32(width), Int32(height), UInt32(GL_RGBA), UInt32(GL_FLOAT),
                    bytes.baseAddress)
            }
        }
        guard isBottomUp else { return values }
        return (0..<height).reversed().flatMap { values[$0 * width..<($0 + 1) * width] }
    }

    /// Reads one pixel back, neither rounded nor clamped; rows count as stored. Waits likewise.
    package func value(x: Int, y: Int) -> SIMD4<Float> {
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), name)
        var value = SIMD4<Float>.zero
        withUnsafeMutableBytes(of: &value) { bytes in
            GLTurns.take {
                ph_glReadPixels(
                    Int32(x), Int32(y), 1, 1, UInt32(GL_RGBA), UInt32(GL_FLOAT), bytes.baseAddress)
            }
        }
        return value
    }

    /// Reads back any framebuffer, also the window's, 0.
    package static func image(
        framebuffer: UInt32, width: Int, height: Int, isBottomUp: Bool = true
    ) -> RGBAImage {
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), framebuffer)
        if framebuffer == 0 { ph_glReadBuffer(UInt32(GL_BACK)) }
        ph_glPixelStorei(UInt32(GL_PACK_ALIGNMENT), 1)
        let bytesPerRow = width * 4
        var bytes = [UInt8](repeating: 0, count: bytesPerRow * height)
        bytes.withUnsafeMutableBytes { rows in
            GLTurns.take {
                ph_glReadPixels(
                    0, 0, Int32(width), Int32(height), UInt32(GL_RGBA), UInt32(GL_UNSIGNED_BYTE),
                    rows.baseAddress)
            }
            if isBottomUp { flipRows(of: rows, bytesPerRow: bytesPerRow) }
        }
        ph_glPixelStorei(UInt32(GL_PACK_ALIGNMENT), 4)
        return RGBAImage(width: width, height: height, bytes: bytes)
    }

    /// Brings the last row to the top, in place.
    private static func flipRows(
        of bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int
    ) {
        guard let start = bytes.baseAddress, bytesPerRow > 0 else { return }
        let height = bytes.count / bytesPerRow
        withUnsafeTemporaryAllocation(byteCount: bytesPerRow, alignment: 16) { row in
            guard let spare = row.baseAddress else { return }
            for index in 0..<height / 2 {
                let upper = start + index * bytesPerRow
                let lower = start + (height - 1 - index) * bytesPerRow
                spare.copyMemory(from: upper, byteCount: bytesPerRow)
                upper.copyMemory(from: lower, byteCount: bytesPerRow)
                lower.copyMemory(from: spare, byteCount: bytesPerRow)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
public import PlayheadBuffers

/// A texture that can be drawn to.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Ownership: owns its name and holds its texture.
/// - Corresponds to: a framebuffer object with one colour attachment.
public final class GLFramebuffer {
    /// The OpenGL name of the framebuffer object.
    public let name: UInt32
    /// The texture that is drawn to.
    public let texture: GLTexture
    private let deletionQueue: GLDeletionQueue
    /// A Boolean value that indicates whether the framebuffer belongs to OpenGL ES, which reads it
    /// only in the type of its texture: OpenGL ES 3.0, 4.3.2.
    private let hasOneType: Bool

    /// The width of the texture, in pixels.
    public var width: Int { texture.width }
    /// The height of the texture, in pixels.
    public var height: Int { texture.height }

    /// Creates a framebuffer with its own texture, which is cleared to transparent black.
    ///
    /// - Parameter label: the name of the framebuffer and its texture in debuggers.
    /// - Throws: `GLError.textureTooLarge`, `.incompleteFramebuffer`.
    public init(
        format: GLTextureFormat = .rgba8, width: Int, height: Int, label: String = "",
        context: any GLContext
    ) throws(GLError) {
        texture = try GLTexture(
            format: format, width: width, height: height, label: label, context: context)
        deletionQueue = context.deletionQueue
        hasOneType = context.capabilities.isES
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

    /// Copies the whole texture, pixel for pixel, to another framebuffer.
    ///
    /// If both have the same format and their rows have the same order in memory, software OpenGL
    /// copies memory. Otherwise it draws, which costs twenty times as much.
    ///
    /// - Parameters:
    ///   - target: the framebuffer to draw to; 0 is the window's framebuffer.
    ///   - x: the left edge in the target, in pixels.
    ///   - y: the lower edge in the target, in pixels from the bottom.
    ///   - isFlipped: true if the texture's first row becomes the top row. The rows of a window are
    ///     in the opposite order in memory to those of a texture, so a copy to a window is fast
    ///     only if this is true.
    package func copy(to target: UInt32, x: Int, y: Int, isFlipped: Bool) {
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), name)
        let (width, height) = (Int32(width), Int32(height))
        let (left, lower) = (Int32(x), Int32(y))
        GLDriverLock.withLock {
            ph_glBlitFramebuffer(
                0, isFlipped ? height : 0, width, isFlipped ? 0 : height, left, lower, left + width,
                lower + height, UInt32(GL_COLOR_BUFFER_BIT), UInt32(GL_NEAREST))
        }
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), target)
    }

    /// Copies the texture to `target`, scaled to the size of `target`, which becomes the draw
    /// target. Float values are not clamped, and alpha is treated like the other channels.
    package func copy(scaledTo target: GLFramebuffer) {
        GLBindings.current.bind(drawFramebuffer: target.name)
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), name)
        let isSameSize = width == target.width && height == target.height
        GLDriverLock.withLock {
            ph_glBlitFramebuffer(
                0, 0, Int32(width), Int32(height), 0, 0, Int32(target.width), Int32(target.height),
                UInt32(GL_COLOR_BUFFER_BIT), UInt32(isSameSize ? GL_NEAREST : GL_LINEAR))
        }
        GLState.setTarget(framebuffer: target.name, width: target.width, height: target.height)
    }

    /// Fills this framebuffer with a part of another one, pixel for pixel.
    ///
    /// - Parameters:
    ///   - source: the framebuffer to read, which stays bound for reading; 0 is the window's
    ///     framebuffer.
    ///   - x: the left edge in the source, in pixels.
    ///   - y: the lower edge in the source, in pixels from the bottom.
    ///   - isFlipped: true if the source's top row becomes the first row of this texture.
    package func fill(from source: UInt32, x: Int, y: Int, isFlipped: Bool = false) {
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), source)
        GLBindings.current.bind(drawFramebuffer: name)
        let (width, height) = (Int32(width), Int32(height))
        let (left, lower) = (Int32(x), Int32(y))
        GLDriverLock.withLock {
            ph_glBlitFramebuffer(
                left, lower, left + width, lower + height, 0, isFlipped ? height : 0, width,
                isFlipped ? 0 : height,
                UInt32(GL_COLOR_BUFFER_BIT), UInt32(GL_NEAREST))
        }
    }

    /// Reads all pixels back. Waits until all drawing is done, so use it for snapshots and tests
    /// only.
    ///
    /// - Parameter isBottomUp: true if the row at texture coordinate t = 0 is the bottom row of the
    ///   image, as after drawing; false if it is the top row, as after an upload.
    /// - Returns: The pixels, with the top row first.
    public func image(isBottomUp: Bool = true) -> RGBAImage {
        guard hasOneType, readType != GL_UNSIGNED_BYTE else {
            return Self.image(
                framebuffer: name, width: width, height: height, isBottomUp: isBottomUp)
        }
        let bytes = values(isBottomUp: isBottomUp).flatMap { pixel in
            let scaled = (pixel.clamped(lowerBound: .zero, upperBound: .one) * 255)
                .rounded(.toNearestOrEven)
            return (0..<4).map { UInt8(scaled[$0]) }
        }
        return RGBAImage(width: width, height: height, bytes: bytes)
    }

    /// Reads all pixels into memory, without a copy: four bytes each, the row at texture coordinate
    /// t = 0 first. Waits until all drawing is done.
    ///
    /// - Parameter rows: The rows to read, counted from t = 0; nil for all.
    /// - Precondition: the memory has a size of four bytes for each pixel.
    package func read(
        rows: Range<Int>? = nil, into bytes: UnsafeMutableRawBufferPointer
    ) {
        let rows = rows ?? 0..<height
        precondition(bytes.count >= width * rows.count * 4, "four bytes a pixel")
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), name)
        GLDriverLock.withLock {
            ph_glReadPixels(
                0, Int32(rows.lowerBound), Int32(width), Int32(rows.count), UInt32(GL_RGBA),
                UInt32(GL_UNSIGNED_BYTE), bytes.baseAddress)
        }
    }

    /// Reads all pixels as four floats each, neither rounded nor clamped, in the row order of
    /// `image(isBottomUp:)`. Waits for the GPU.
    package func values(isBottomUp: Bool = true) -> [SIMD4<Float>] {
        let values = values(x: 0, y: 0, width: width, height: height)
        guard isBottomUp else { return values }
        return (0..<height).reversed().flatMap { values[$0 * width..<($0 + 1) * width] }
    }

    /// Reads one pixel, neither rounded nor clamped. Rows are counted as they are stored. Waits for
    /// the GPU.
    package func value(x: Int, y: Int) -> SIMD4<Float> {
        values(x: x, y: y, width: 1, height: 1)[0]
    }

    private func values(x: Int, y: Int, width: Int, height: Int) -> [SIMD4<Float>] {
        func read<Pixel>(_ type: Int32, _ zero: Pixel) -> [Pixel] {
            ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), name)
            var pixels = [Pixel](repeating: zero, count: width * height)
            pixels.withUnsafeMutableBytes { bytes in
                GLDriverLock.withLock {
                    ph_glReadPixels(
                        Int32(x), Int32(y), Int32(width), Int32(height), UInt32(GL_RGBA),
                        UInt32(type), bytes.baseAddress)
                }
            }
            return pixels
        }
        switch hasOneType ? readType : GL_FLOAT {
        case GL_UNSIGNED_BYTE:
            return read(GL_UNSIGNED_BYTE, SIMD4<UInt8>()).map { SIMD4<Float>($0) / 255 }
        case GL_UNSIGNED_SHORT:
            return read(GL_UNSIGNED_SHORT, SIMD4<UInt16>()).map { SIMD4<Float>($0) / 65535 }
        case GL_UNSIGNED_INT_2_10_10_10_REV:
            return read(GL_UNSIGNED_INT_2_10_10_10_REV, UInt32(0)).map { word in
                let channels = SIMD4(word, word >> 10, word >> 20, word >> 30)
                return SIMD4<Float>(channels & SIMD4(1023, 1023, 1023, 3))
                    / SIMD4(1023, 1023, 1023, 3)
            }
        default: return read(GL_FLOAT, SIMD4<Float>())
        }
    }

    /// The type in which the texture can be read without a conversion.
    private var readType: Int32 {
        switch texture.format.bitDepth {
        case nil: GL_FLOAT
        case 10: GL_UNSIGNED_INT_2_10_10_10_REV
        case 16: GL_UNSIGNED_SHORT
        default: GL_UNSIGNED_BYTE
        }
    }

    /// Reads all pixels, the lowest row first. Each pixel is four 16-bit integers; 65,535 stands
    /// for 1. Waits until all drawing is done.
    ///
    /// - Parameter array: An array whose memory is reused for the result.
    package func samples(reusing array: consuming [UInt16]) -> [UInt16] {
        let count = width * height * 4
        if array.count != count { array = [UInt16](repeating: 0, count: count) }
        guard !hasOneType || readType == GL_UNSIGNED_SHORT else {
            for (index, pixel) in values(isBottomUp: false).enumerated() {
                let scaled = (pixel.clamped(lowerBound: .zero, upperBound: .one) * 65535)
                    .rounded(.toNearestOrEven)
                for channel in 0..<4 { array[4 * index + channel] = UInt16(scaled[channel]) }
            }
            return array
        }
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), name)
        array.withUnsafeMutableBytes { bytes in
            GLDriverLock.withLock {
                ph_glReadPixels(
                    0, 0, Int32(width), Int32(height), UInt32(GL_RGBA), UInt32(GL_UNSIGNED_SHORT),
                    bytes.baseAddress)
            }
        }
        return array
    }

    /// Reads the pixels of any framebuffer; 0 is the window's framebuffer.
    package static func image(
        framebuffer: UInt32, width: Int, height: Int, isBottomUp: Bool = true
    ) -> RGBAImage {
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), framebuffer)
        if framebuffer == 0 { ph_glReadBuffer(UInt32(GL_BACK)) }
        ph_glPixelStorei(UInt32(GL_PACK_ALIGNMENT), 1)
        let bytesPerRow = width * 4
        var bytes = [UInt8](repeating: 0, count: bytesPerRow * height)
        bytes.withUnsafeMutableBytes { rows in
            GLDriverLock.withLock {
                ph_glReadPixels(
                    0, 0, Int32(width), Int32(height), UInt32(GL_RGBA), UInt32(GL_UNSIGNED_BYTE),
                    rows.baseAddress)
            }
            if isBottomUp { flipRows(of: rows, bytesPerRow: bytesPerRow) }
        }
        ph_glPixelStorei(UInt32(GL_PACK_ALIGNMENT), 4)
        return RGBAImage(width: width, height: height, bytes: bytes)
    }

    /// Reverses the order of rows in place.
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

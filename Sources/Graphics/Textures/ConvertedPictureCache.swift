// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadBuffers
public import PlayheadConversion
public import PlayheadGL

/// Keeps pictures that the processor converted, in textures of the size at which they are drawn.
///
/// What `TextureCache` is for pictures that a shader converts.
///
/// - Concurrency: render thread.
/// - Lifetime: a framebuffer that it gives is another picture's when this one has not been asked
///   for in the last frames; ask anew every frame.
public final class ConvertedPictureCache {
    /// A picture, and how it is to lie in its texture.
    public struct Request: Sendable, Equatable {
        /// Of the pixel buffer.
        public var identifier: UInt64
        public var part: ConversionPart
        public var byteOrder: PictureConverter.ByteOrder
        /// Whether the texture's first row is the bottom one.
        public var isBottomUp: Bool

        public init(
            _ buffer: PixelBuffer, part: ConversionPart, byteOrder: PictureConverter.ByteOrder,
            isBottomUp: Bool
        ) {
            identifier = buffer.identifier
            self.part = part
            self.byteOrder = byteOrder
            self.isBottomUp = isBottomUp
        }
    }

    private struct Entry {
        var request: Request
        let framebuffer: GLFramebuffer
        var lastUse: Int
    }

    /// As in `TextureCache`.
    private static let idleFrames = 120
    private static let framesInFlight = 2

    private let context: any GLContext
    private let converter = PictureConverter()
    private var entries: [Entry] = []
    private var frame = 0
    /// What the converter writes and OpenGL copies.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// Time spent converting and uploading since `endFrame` was last called, in nanoseconds.
    public private(set) var nanoseconds: Int64 = 0

    public init(context: any GLContext) {
        self.context = context
    }

    deinit { memory.deallocate() }

    /// A framebuffer with a picture in it, converted if need be. The picture's memory may go once
    /// this returns.
    ///
    /// - Precondition: `PictureConverter.canConvert(buffer)`.
    public func framebuffer(
        for buffer: PixelBuffer, _ request: Request
    ) throws(GLError) -> GLFramebuffer {
        if let index = entries.firstIndex(where: { $0.request == request }) {
            entries[index].lastUse = frame
            return entries[index].framebuffer
        }
        let (width, height) = (request.part.outputWidth, request.part.outputHeight)
        let format = request.byteOrder == .bgra ? GLTextureFormat.bgra8 : .rgba8
        let idle = entries.firstIndex {
            $0.lastUse <= frame - Self.framesInFlight && $0.framebuffer.width == width
                && $0.framebuffer.height == height && $0.framebuffer.texture.format == format
        }
        let framebuffer: GLFramebuffer
        if let idle {
            framebuffer = entries[idle].framebuffer
            entries[idle].request = request
            entries[idle].lastUse = frame
        } else {
            framebuffer = try GLFramebuffer(
                format: format, width: width, height: height, label: "converted picture",
                context: context)
            entries.append(Entry(request: request, framebuffer: framebuffer, lastUse: frame))
        }
        upload(
            buffer, part: request.part, byteOrder: request.byteOrder,
            isBottomUp: request.isBottomUp, into: framebuffer.texture)
        return framebuffer
    }

    /// Converts a picture into a texture of someone else's, of the part's size.
    public func upload(
        _ buffer: PixelBuffer, part: ConversionPart, byteOrder: PictureConverter.ByteOrder,
        isBottomUp: Bool, into texture: GLTexture
    ) {
        let start = Self.now()
        let bytesPerRow = PictureConverter.paddedWidth(part.outputWidth) * 4
        let byteCount = bytesPerRow * part.outputHeight
        if memory.count < byteCount {
            memory.deallocate()
            memory = .allocate(byteCount: byteCount, alignment: 64)
        }
        guard let base = memory.baseAddress else { return }
        converter.convert(
            buffer, part: part, byteOrder: byteOrder,
            into: isBottomUp ? base + bytesPerRow * (part.outputHeight - 1) : base,
            bytesPerRow: isBottomUp ? -bytesPerRow : bytesPerRow)
        texture.upload(base, bytesPerRow: bytesPerRow)
        nanoseconds += Self.now() - start
    }

    /// Ends a frame: textures that no recent frame asked for are given up.
    public func endFrame() {
        frame += 1
        nanoseconds = 0
        if entries.contains(where: { $0.lastUse < frame - Self.idleFrames }) {
            entries.removeAll { $0.lastUse < frame - Self.idleFrames }
        }
    }

    /// Gives up textures that the last frame did not ask for.
    public func trim() { entries.removeAll { $0.lastUse < frame - 1 } }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

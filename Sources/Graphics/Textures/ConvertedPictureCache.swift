// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadBuffers
package import PlayheadConversion
package import PlayheadGL

/// Keeps pictures that the processor converted, in textures of the size at which they are drawn.
///
/// What `TextureCache` is for pictures that a shader converts. A picture is converted when it is
/// asked for, unless it has been prepared (`prepare`): then it is uploaded only.
///
/// - Concurrency: render thread.
/// - Lifetime: a framebuffer that it gives is another picture's when this one has not been asked
///   for in the last frames; ask anew every frame.
package final class ConvertedPictureCache {
    /// A picture, and how it is to lie in its texture.
    package struct Request: Sendable, Equatable {
        /// Of the pixel buffer.
        package var identifier: UInt64
        /// Which part of the picture, and how large.
        package var part: ConversionPart
        /// What makes its R'G'B' the target's.
        package var transform: ColorTransform
        /// Which channel comes first in memory.
        package var byteOrder: PictureConverter.ByteOrder
        /// Whether the texture's first row is the bottom one.
        package var isBottomUp: Bool

        package init(
            _ buffer: PixelBuffer, part: ConversionPart, transform: ColorTransform,
            byteOrder: PictureConverter.ByteOrder, isBottomUp: Bool
        ) {
            identifier = buffer.identifier
            self.part = part
            self.transform = transform
            self.byteOrder = byteOrder
            self.isBottomUp = isBottomUp
        }

        /// In memory, from one row of pixels to the next.
        var bytesPerRow: Int { PictureConverter.paddedWidth(part.outputWidth) * 4 }
    }

    private struct Entry {
        var request: Request
        let framebuffer: GLFramebuffer
        var lastUse: Int
    }

    private let context: any GLContext
    /// Made when the first picture is prepared.
    private var preparer: PicturePreparer?
    /// What was asked for last.
    private var lastRequest: Request?
    private var entries: [Entry] = []
    private var frame = 0
    /// After how many frames a texture is taken for another picture. Of several, one that the last frame
    /// drew may be asked for again yet; the only one is taken at once, which saves another one of the
    /// size of the window: software OpenGL, which alone is converted for, has drawn it by then.
    private var framesInUse = 2
    private let memory: ConverterMemory
    /// For when a picture has to be converted while another one is being prepared in that.
    private lazy var spareMemory = ConverterMemory(helperCount: helperCount)
    private let helperCount: Int?

    /// Time spent converting and uploading since `endFrame` was last called, in nanoseconds.
    package private(set) var nanoseconds: Int64 = 0

    /// Pictures that were uploaded as they had been prepared.
    package private(set) var preparedCount = 0

    /// - Parameter helperCount: threads that take part in converting, besides the calling one; nil for
    ///   as many as are useful. 0 where the calling thread is to wait for no other.
    package init(context: any GLContext, helperCount: Int? = nil) {
        self.context = context
        self.helperCount = helperCount
        memory = ConverterMemory(helperCount: helperCount)
    }

    /// Whether pictures may lie in textures with blue first, which OpenGL ES need not have.
    package var canHaveBlueFirst: Bool { context.capabilities.features.contains(.blueFirst) }

    /// A framebuffer with a picture in it, converted if need be. The picture's memory may go once
    /// this returns.
    ///
    /// - Precondition: `PictureConverter.canConvert(buffer)`.
    package func framebuffer(
        for buffer: PixelBuffer, _ request: Request
    ) throws(GLError) -> GLFramebuffer {
        lastRequest = request
        if let index = entries.firstIndex(where: { $0.request == request }) {
            entries[index].lastUse = frame
            return entries[index].framebuffer
        }
        let (width, height) = (request.part.outputWidth, request.part.outputHeight)
        let format = request.byteOrder == .bgra ? GLTextureFormat.bgra8 : .rgba8
        let idle = entries.firstIndex {
            $0.lastUse <= frame - framesInUse && $0.framebuffer.width == width
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
        upload(buffer, request, into: framebuffer.texture)
        return framebuffer
    }

    /// Puts a picture into a texture of someone else's, of the part's size: converted, if need be.
    package func upload(_ buffer: PixelBuffer, _ request: Request, into texture: GLTexture) {
        let start = Self.now()
        lastRequest = request
        let bytesPerRow = request.bytesPerRow
        let isPrepared =
            preparer?.take(request) { texture.upload($0, bytesPerRow: bytesPerRow) } ?? false
        if isPrepared {
            preparedCount += 1
        } else {
            // What lies ready and was not asked for is stale, where there is one film.
            let isFree = preparer?.claim(dropsReady: framesInUse == 1) ?? true
            let memory = isFree ? memory : spareMemory
            memory.convert(buffer, request)
            memory.read { texture.upload($0, bytesPerRow: bytesPerRow) }
        }
        nanoseconds += Self.now() - start
    }

    /// Has a picture converted before it is due, on a thread of the cache's own, in the way in which the
    /// picture before it was asked for last. Returns at once, and does nothing while that thread is at
    /// work, or where the two are not alike.
    ///
    /// - Parameter before: the picture that it is going to take the place of.
    package func prepare(_ buffer: PixelBuffer, before: PixelBuffer) {
        guard let request = request(for: buffer, before: before) else { return }
        let preparer = self.preparer ?? PicturePreparer(memory)
        self.preparer = preparer
        preparer.prepare(buffer, request)
    }

    /// Whether a picture can take another one's place without having to be converted by whoever draws it.
    /// Where it cannot, it is going to be converted, as `prepare` does.
    ///
    /// - Parameter before: the picture that was drawn last.
    package func isReady(_ buffer: PixelBuffer, before: PixelBuffer) -> Bool {
        guard let request = request(for: buffer, before: before) else { return true }
        if entries.contains(where: { $0.request == request })
            || preparer?.isReady(request) ?? false
        {
            return true
        }
        prepare(buffer, before: before)
        return false
    }

    /// Whether a picture lies ready to be uploaded.
    package var hasPrepared: Bool { preparer?.isReady ?? false }

    /// How a picture will be asked for that takes another one's place; nil where that cannot be told.
    private func request(for buffer: PixelBuffer, before: PixelBuffer) -> Request? {
        guard var request = lastRequest, request.identifier == before.identifier,
            buffer.identifier != before.identifier, buffer.width == before.width,
            buffer.height == before.height, buffer.format == before.format,
            buffer.attachments.orientation == before.attachments.orientation,
            buffer.color == before.color,
            buffer.attachments.peakLuminance == before.attachments.peakLuminance,
            PictureConverter.canConvert(buffer)
        else { return nil }
        request.identifier = buffer.identifier
        return request
    }

    /// Ends a frame: textures that no recent frame asked for are given up.
    package func endFrame() {
        framesInUse = entries.count { $0.lastUse == frame } > 1 ? 2 : 1
        frame += 1
        nanoseconds = 0
        let oldest = IdleMemory.oldestKept(frame: frame, count: entries.count) {
            (entries[$0].lastUse, entries[$0].framebuffer.texture.byteCount)
        }
        if entries.contains(where: { $0.lastUse < oldest }) {
            entries.removeAll { $0.lastUse < oldest }
        }
    }

    /// Gives up textures that the last frame did not ask for.
    package func trim() { entries.removeAll { $0.lastUse < frame - 1 } }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

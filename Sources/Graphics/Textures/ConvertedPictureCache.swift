// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadBuffers
import PlayheadConversion
package import PlayheadGL

/// A cache of frames that the CPU converted, in textures of the size at which they are drawn.
///
/// Its counterpart for frames that a shader converts is `TextureCache`. A frame is converted when
/// it is requested, unless `prepare` has converted it before; then it is only uploaded.
///
/// - Concurrency: render thread.
/// - Lifetime: if a framebuffer was not requested for the last drawn frames, it may be reused for
///   another frame. Request it again for every frame.
package final class ConvertedPictureCache {
    private struct Entry {
        var request: ConvertedPictureRequest
        let framebuffer: GLFramebuffer
        var lastUse: Int
    }

    private let context: any GLContext
    /// The preparer, which is created when the first frame is prepared.
    private var preparer: PicturePreparer?
    /// The request that was made last.
    private var lastRequest: ConvertedPictureRequest?
    private var entries: [Entry] = []
    private var frame = 0
    /// The number of frames after which a texture is reused. If there are several textures, a
    /// texture that the last frame drew may still be requested again. A single texture is reused at
    /// once, which saves a second texture of the window's size. This is safe because frames are
    /// converted for software OpenGL only, which has drawn the texture by then.
    private var framesInUse = 2
    private let memory: ConverterMemory
    /// The memory for a conversion while another frame is being prepared in `memory`.
    private lazy var spareMemory = ConverterMemory(helperCount: helperCount)
    private let helperCount: Int?

    /// The time spent converting and uploading since `endFrame` was last called, in nanoseconds.
    package private(set) var nanoseconds: Int64 = 0

    /// The number of frames that were prepared before they were requested.
    package private(set) var preparedCount = 0

    /// Creates a cache.
    ///
    /// - Parameter helperCount: the number of threads that convert in addition to the calling
    ///   thread; nil for the number that is useful on this machine, 0 if the calling thread must
    ///   not wait for other threads.
    package init(context: any GLContext, helperCount: Int? = nil) {
        self.context = context
        self.helperCount = helperCount
        memory = ConverterMemory(helperCount: helperCount)
    }

    /// A Boolean value that indicates whether textures with blue first are supported, which is
    /// optional in OpenGL ES.
    package var canHaveBlueFirst: Bool { context.capabilities.features.contains(.blueFirst) }

    /// Returns a framebuffer that contains a frame, which is converted if necessary. The frame's
    /// memory is not needed after the call has returned.
    ///
    /// - Precondition: `PictureConverter.canConvert(buffer)`.
    package func framebuffer(
        for buffer: PixelBuffer, _ request: ConvertedPictureRequest
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
                format: format, width: width, height: height, label: "converted frame",
                context: context)
            entries.append(Entry(request: request, framebuffer: framebuffer, lastUse: frame))
        }
        upload(buffer, request, into: framebuffer.texture)
        return framebuffer
    }

    /// Uploads a frame, converted if necessary, into a texture that the caller owns. The texture
    /// must have the output size of the part.
    package func upload(
        _ buffer: PixelBuffer, _ request: ConvertedPictureRequest, into texture: GLTexture
    ) {
        let start = Self.now()
        lastRequest = request
        let bytesPerRow = request.bytesPerRow
        let isPrepared =
            preparer?.take(request) { texture.upload($0, bytesPerRow: bytesPerRow) } ?? false
        if isPrepared {
            preparedCount += 1
        } else {
            // If there is a single video, a prepared frame that was not requested is stale.
            let isFree = preparer?.claim(dropsReady: framesInUse == 1) ?? true
            if !isFree, let spare = preparer?.takeSpare() { spareMemory = spare }
            let memory = isFree ? memory : spareMemory
            memory.convert(buffer, request)
            memory.read { texture.upload($0, bytesPerRow: bytesPerRow) }
        }
        nanoseconds += Self.now() - start
    }

    /// Converts a frame before it is due, on a thread of the cache, to the same output as the
    /// previous frame. Returns at once. Does nothing while that thread is busy. Also does nothing
    /// if the frame that was requested last is not the previous frame, or if the two frames differ
    /// in size, format, orientation or colours.
    ///
    /// - Parameter before: the previous frame, which this one is going to replace.
    package func prepare(_ buffer: PixelBuffer, before: PixelBuffer) {
        guard let request = request(for: buffer, before: before) else { return }
        // A host's loop must not allocate. Elsewhere, the memory of a frame is worth more.
        var makeSpare: (@Sendable () -> ConverterMemory)?
        if helperCount == 0 { makeSpare = { ConverterMemory(helperCount: 0) } }
        let preparer = self.preparer ?? PicturePreparer(memory, makeSpare: makeSpare)
        self.preparer = preparer
        preparer.prepare(buffer, request)
    }

    /// Returns whether a frame can replace another without a conversion by the caller. If it
    /// cannot, the call prepares the frame like `prepare`.
    ///
    /// - Parameter before: the frame that was drawn last.
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

    /// A Boolean value that indicates whether a frame is prepared.
    package var hasPrepared: Bool { preparer?.isReady ?? false }

    /// Returns the expected request for a frame that replaces another; nil if it cannot be
    /// predicted.
    private func request(for buffer: PixelBuffer, before: PixelBuffer) -> ConvertedPictureRequest? {
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

    /// Ends a frame. Textures that were not requested recently are released.
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

    /// Releases textures that the last frame did not request.
    package func trim() { entries.removeAll { $0.lastUse < frame - 1 } }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

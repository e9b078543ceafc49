// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadBuffers
public import PlayheadGL

/// Keeps pictures in textures: each is uploaded once, however many layers show it, and textures are
/// used again for the pictures that follow.
///
/// - Concurrency: render thread.
/// - Corresponds to: `CVOpenGLTextureCache`, `CVMetalTextureCache`.
public final class TextureCache {
    /// Frames after which textures that nobody asked for are given up: two seconds at 60 Hz.
    private static let idleFrames = 120
    /// Frames for which the GPU may still read a texture: writing into one that it reads makes the
    /// driver wait or copy.
    private static let framesInFlight = 2

    private let context: any GLContext
    private var pictures: [PictureTextures] = []
    private var frame = 0
    private var lastFormat: PixelFormat?
    private var lastLayout: PictureLayout?

    /// CPU time spent uploading since `endFrame` was last called, in nanoseconds.
    public private(set) var uploadNanoseconds: Int64 = 0
    /// Pictures uploaded since the cache was made.
    public private(set) var uploadCount = 0

    public init(context: any GLContext) {
        self.context = context
    }

    /// How many pictures have textures.
    public var pictureCount: Int { pictures.count }

    /// Textures of a picture that is there already; nil when it is not, or no longer.
    public func textures(forIdentifier identifier: UInt64) -> PictureTextures? {
        guard let picture = pictures.first(where: { $0.identifier == identifier }) else {
            return nil
        }
        picture.lastUse = frame
        return picture
    }

    /// Textures of a picture, uploaded if need be. The picture's memory may go once this returns.
    public func textures(for buffer: PixelBuffer) throws(TextureError) -> PictureTextures {
        if let picture = textures(forIdentifier: buffer.identifier) { return picture }
        let start = Self.now()
        let layout = try layout(of: buffer.format)
        let picture = try idlePicture(layout: layout, for: buffer)
        picture.upload(buffer)
        picture.lastUse = frame
        uploadCount += 1
        uploadNanoseconds += Self.now() - start
        return picture
    }

    /// Ends a frame: textures that no recent frame asked for are given up.
    public func endFrame() {
        frame += 1
        uploadNanoseconds = 0
        if pictures.contains(where: { $0.lastUse < frame - Self.idleFrames }) {
            pictures.removeAll { $0.lastUse < frame - Self.idleFrames }
        }
    }

    private func idlePicture(
        layout: PictureLayout, for buffer: PixelBuffer
    ) throws(TextureError) -> PictureTextures {
        let idle = pictures.first {
            $0.lastUse <= frame - Self.framesInFlight && $0.width == buffer.width
                && $0.height == buffer.height && $0.layout == layout
        }
        if let idle { return idle }
        do throws(GLError) {
            let picture = try PictureTextures(layout: layout, buffer: buffer, context: context)
            pictures.append(picture)
            return picture
        } catch {
            throw .gl(error)
        }
    }

    /// Consecutive pictures nearly always have the same format.
    private func layout(of format: PixelFormat) throws(TextureError) -> PictureLayout {
        if let lastLayout, lastFormat == format { return lastLayout }
        let layout = try PictureLayout(format)
        lastFormat = format
        lastLayout = layout
        return layout
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadBuffers
public import PlayheadGL

/// A cache of frames in textures. Each frame is uploaded once, even if many layers show it, in
/// several windows of the share group. Textures are reused for later frames.
///
/// - Concurrency: render thread.
/// - Corresponds to: `CVOpenGLTextureCache`, `CVMetalTextureCache`.
public final class TextureCache {
    private let context: any GLContext
    private let uploader: PictureUploader
    private let shared: SharedPictures
    /// The frames that only this cache shows.
    private var pictures: [PictureTextures] = []
    /// The frames that other windows may show too. The textures are shared, and the properties
    /// belong to this cache.
    private var sharedPictures: [PictureTextures] = []
    private let joinsChroma: Bool
    private var frame = 0
    private var lastFormat: PixelFormat?
    private var lastLayout: PictureLayout?

    /// The CPU time spent uploading since `endFrame` was last called, in nanoseconds.
    package private(set) var uploadNanoseconds: Int64 = 0
    /// The number of frames uploaded since the cache was created.
    package private(set) var uploadCount = 0

    /// Creates a cache that uploads with the fastest method, which a trial on the driver
    /// determines.
    public convenience init(context: any GLContext) {
        self.init(context: context, upload: nil)
    }

    /// Creates a cache that uploads with a given method.
    ///
    /// - Parameters:
    ///   - upload: the upload method; nil for the method that the environment variable names or, if
    ///     the variable is not set, the fastest method.
    ///   - joinsChroma: true to store the planes of Cb and Cr in one texture. Nil, the default,
    ///     means true on software OpenGL in builds with optimisation; shaders then take a sixth
    ///     less time.
    package init(
        context: any GLContext, upload: PictureUpload? = nil, joinsChroma: Bool? = nil
    ) {
        self.context = context
        self.joinsChroma =
            joinsChroma ?? (context.capabilities.isSoftware && !_isDebugAssertConfiguration())
        uploader = PictureUploader(context: context, forced: upload)
        shared = context.shareGroup.attachment { SharedPictures() }
    }

    deinit {
        for picture in sharedPictures {
            shared.release(identifier: picture.identifier, context: context)
        }
    }

    /// The number of frames in textures.
    package var pictureCount: Int { pictures.count + sharedPictures.count }

    /// The method with which the last frame was uploaded.
    package var lastUpload: PictureUpload { uploader.lastUpload }

    /// The OpenGL memory that decoders work in.
    package var memory: MappedMemory { uploader.memory }

    /// Returns the textures of a frame; nil if the frame is not, or is no longer, in the cache.
    package func textures(forIdentifier identifier: UInt64) -> PictureTextures? {
        guard
            let picture = pictures.first(where: { $0.identifier == identifier })
                ?? sharedPictures.first(where: { $0.identifier == identifier })
        else { return nil }
        picture.lastUse = frame
        return picture
    }

    /// Returns the textures of a frame, uploaded if necessary. The frame's memory is not needed
    /// after the call has returned.
    public func textures(for buffer: PixelBuffer) throws(TextureError) -> PictureTextures {
        if let picture = textures(forIdentifier: buffer.identifier) { return picture }
        let start = Self.now()
        let layout = try layout(of: buffer.format)
        do throws(GLError) {
            let picture =
                context.shareGroup.isShared
                ? try sharedPicture(buffer, layout) : try ownPicture(buffer, layout)
            picture.lastUse = frame
            uploadNanoseconds += Self.now() - start
            return picture
        } catch {
            throw .gl(error)
        }
    }

    /// Uploads a frame ahead of time while the trial of the upload methods lasts.
    ///
    /// The first upload with each method, and into each texture, takes several times as long as
    /// later ones: longer than a frame that is due can wait. Call this when the frame of a vsync is
    /// complete.
    package func uploadDuringTrial(_ upcoming: PixelBuffer) {
        guard uploader.isTrying(upcoming) else { return }
        // A failure is reported when the frame is due. The time is not that of a drawn frame.
        let nanoseconds = uploadNanoseconds
        _ = try? textures(for: upcoming)
        uploadNanoseconds = nanoseconds
    }

    /// Ends a frame. Textures that were not requested recently are released.
    public func endFrame() {
        frame += 1
        uploadNanoseconds = 0
        uploader.memory.prepare()
        let oldest = IdleMemory.oldestKept(frame: frame, count: pictures.count) {
            (pictures[$0].lastUse, pictures[$0].byteCount)
        }
        if pictures.contains(where: { $0.lastUse < oldest }) {
            pictures.removeAll { $0.lastUse < oldest }
        }
        guard !sharedPictures.isEmpty else { return }
        sharedPictures.removeAll { picture in
            guard picture.lastUse <= frame - IdleMemory.framesInFlight else { return false }
            shared.release(identifier: picture.identifier, context: context)
            return true
        }
    }

    /// Releases textures that the last frame did not request. Textures that other windows show too
    /// are released by `endFrame` instead.
    package func trim() { pictures.removeAll { $0.lastUse < frame - 1 } }

    private func ownPicture(
        _ buffer: PixelBuffer, _ layout: PictureLayout
    ) throws(GLError) -> PictureTextures {
        let idle = pictures.first {
            $0.lastUse <= frame - IdleMemory.framesInFlight && $0.fit(buffer, layout)
        }
        let picture: PictureTextures
        if let idle {
            picture = idle
        } else {
            picture = try PictureTextures(
                layout: layout, buffer: buffer, isShared: false, context: context)
            pictures.append(picture)
        }
        picture.upload(buffer, by: uploader)
        uploadCount += 1
        return picture
    }

    private func sharedPicture(
        _ buffer: PixelBuffer, _ layout: PictureLayout
    ) throws(GLError) -> PictureTextures {
        let (found, isNew) = try shared.picture(
            identifier: buffer.identifier, like: { $0.fit(buffer, layout) }, context: context
        ) { idle throws(GLError) in
            let picture: PictureTextures
            if let idle {
                picture = idle
            } else {
                picture = try PictureTextures(
                    layout: layout, buffer: buffer, isShared: true, context: context)
            }
            picture.upload(buffer, by: uploader)
            return picture
        }
        if isNew { uploadCount += 1 }
        // The properties that depend on a target belong to this cache alone.
        let picture = PictureTextures(like: found, textures: found.textures)
        picture.copyProperties(of: found)
        picture.identifier = found.identifier
        sharedPictures.append(picture)
        return picture
    }

    /// Returns the layout of a format. The layout is remembered, because consecutive frames nearly
    /// always have the same format.
    private func layout(of format: PixelFormat) throws(TextureError) -> PictureLayout {
        if let lastLayout, lastFormat == format { return lastLayout }
        var layout = try PictureLayout(format).fitting(
            context.capabilities, isBigEndian: format.isBigEndian)
        if joinsChroma { layout = layout.joiningChroma }
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

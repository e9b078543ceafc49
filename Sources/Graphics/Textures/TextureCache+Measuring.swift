// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadGL

extension TextureCache {
    /// Determines the fastest method of uploading frames in a context by uploading blank frames.
    /// Playback performs the same trial with its first frames; this call performs it at once.
    ///
    /// - Precondition: the context is current on the calling thread, and no method is forced.
    /// - Returns: nil for formats that are not uploaded.
    package static func measureUploads(
        format: PixelFormat, width: Int, height: Int, context: any GLContext
    ) -> UploadTrial.Outcome? {
        let cache = TextureCache(context: context)
        GLState.beginFrame()
        let key = PictureUploader.key(
            format: format, width: width, height: height, in: context.capabilities)
        // The loop has one frame more than the longest trial.
        for _ in 0...UploadTrial.longest where UploadChoices.outcome(for: key) == nil {
            let buffer = PixelBuffer(format: format, width: width, height: height) { _, bytes, _ in
                bytes.initializeMemory(as: UInt8.self, repeating: 128)
            }
            guard (try? cache.textures(for: buffer)) != nil else { return nil }
            cache.endFrame()
            GLState.finish()
        }
        return UploadChoices.outcome(for: key)
    }
}

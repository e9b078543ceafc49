// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadGL

extension TextureCache {
    /// Measures the fastest way of uploading frames in a context at once, with blank frames: the
    /// trial that playback otherwise performs on its first frames.
    ///
    /// - Precondition: the context is current on the calling thread, and no way is forced.
    /// - Returns: nil for formats that are not uploaded.
    package static func measureUploads(
        format: PixelFormat, width: Int, height: Int, context: any GLContext
    ) -> UploadTrial.Outcome? {
        let cache = TextureCache(context: context)
        GLState.beginFrame()
        let key = PictureUploader.key(
            format: format, width: width, height: height, in: context.capabilities)
        // One frame more than the trial takes.
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

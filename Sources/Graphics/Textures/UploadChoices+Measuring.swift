// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadGL

extension UploadChoices {
    /// Finds out which way of uploading pictures is quickest in a context, at once, by pictures that
    /// show nothing: what playing finds out on the way.
    ///
    /// - Precondition: the context is current on the calling thread, and nothing is forced.
    /// - Returns: nil for formats that are not uploaded.
    package static func measure(
        format: PixelFormat, width: Int, height: Int, context: any GLContext
    ) -> UploadTrial.Outcome? {
        let cache = TextureCache(context: context)
        GLState.beginFrame()
        let key = PictureUploader.key(
            format: format, width: width, height: height, in: context.capabilities)
        // One picture more than the trial takes.
        for _ in 0...UploadTrial.longest where outcome(for: key) == nil {
            let buffer = PixelBuffer(format: format, width: width, height: height) { _, bytes, _ in
                bytes.initializeMemory(as: UInt8.self, repeating: 128)
            }
            guard (try? cache.textures(for: buffer)) != nil else { return nil }
            cache.endFrame()
            GLState.finish()
        }
        return outcome(for: key)
    }
}

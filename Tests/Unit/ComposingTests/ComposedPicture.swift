// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadImages
import PlayheadTime

/// A frame of a composition that a test has read: its times, and its pixels as an image generator
/// converts them.
struct ComposedPicture {
    var time: MediaTime
    var duration: MediaTime
    var image: RGBAImage

    init(_ frame: VideoFrame) {
        (time, duration) = (frame.presentationTime, frame.duration)
        image = Self.image(frame.pixelBuffer)
    }

    /// Reads all pictures of an output, which returns nil at the end.
    static func all(_ next: () throws -> VideoFrame?) throws -> [ComposedPicture] {
        var pictures: [ComposedPicture] = []
        while let frame = try next() { pictures.append(ComposedPicture(frame)) }
        return pictures
    }

    static func image(_ buffer: PixelBuffer) -> RGBAImage {
        if buffer.format == .rgba { return ComposingSupport.image(buffer) }
        return StillConverter.image(of: buffer, width: buffer.width, height: buffer.height)
    }
}

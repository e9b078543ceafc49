// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// The size at which a frame is displayed, in square pixels. The rotation and the pixel aspect
/// ratio of the stream have been applied, so the size may be fractional.
///
/// - Corresponds to: the `CGSize` of `AVPlayerItem.presentationSize`.
public struct PresentationSize: Sendable, Hashable {
    /// The width in square pixels.
    public var width: Double
    /// The height in square pixels.
    public var height: Double

    /// The size if there is no frame.
    public static let zero = PresentationSize(width: 0, height: 0)

    package init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// Creates the size of a frame with the given number of stored pixels.
    package init(width: Int, height: Int, attachments: PixelBufferAttachments) {
        let ratio = attachments.pixelAspectRatio
        let wide = Double(width) * Double(ratio.horizontal) / Double(ratio.vertical)
        self.init(width: wide, height: Double(height))
        if attachments.orientation.swapsAxes { swap(&self.width, &self.height) }
    }

    package init(_ picture: PixelBuffer) {
        self.init(
            width: picture.width, height: picture.height, attachments: picture.attachments)
    }
}

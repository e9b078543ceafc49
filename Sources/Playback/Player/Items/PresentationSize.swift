// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// The size at which a picture is meant to be seen, in square pixels: rotation and the stream's
/// pixel aspect ratio are applied, so it need not be whole.
///
/// - Corresponds to: the `CGSize` of `AVPlayerItem.presentationSize`.
public struct PresentationSize: Sendable, Hashable {
    /// In square pixels.
    public var width: Double
    public var height: Double

    /// No picture.
    public static let zero = PresentationSize(width: 0, height: 0)

    package init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// The size of a picture of so many stored pixels.
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

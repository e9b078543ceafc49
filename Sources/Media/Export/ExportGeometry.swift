// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadWriting

/// The size of exported frames, and the place of each source frame in them.
package struct ExportGeometry: Equatable {
    /// The stored size.
    package let width: Int
    package let height: Int
    /// The rotation that the file declares, which is not applied to the frames.
    package let orientation: PictureOrientation
    /// The shape of a pixel.
    package let pixelAspectRatio: PixelBufferAttachments.PixelAspectRatio
    private let step: (x: Int, y: Int)

    package static func == (left: ExportGeometry, right: ExportGeometry) -> Bool {
        left.width == right.width && left.height == right.height
            && left.orientation == right.orientation
            && left.pixelAspectRatio == right.pixelAspectRatio
    }

    /// Decides on a size.
    ///
    /// - Parameters:
    ///   - picture: The source's frames.
    ///   - limits: The maximum of the longer and of the shorter side; 0 for none.
    ///   - renderSize: The size upright that replaces the source's; nil for the source's.
    ///   - keepsOrientation: A Boolean value that indicates whether the file can declare a rotation
    ///     that all frames share.
    package init(
        _ picture: ExportPicture, limits: (long: Int, short: Int),
        renderSize: (width: Double, height: Double)?, format: VideoSampleFormat,
        keepsOrientation: Bool
    ) {
        let halvesX = format.model == .yuv420 || format.model == .yuv422
        step = (halvesX ? 2 : 1, format.model == .yuv420 ? 2 : 1)
        let base = renderSize ?? picture.shownSize
        let sides = (long: max(base.width, base.height), short: min(base.width, base.height))
        var factor = 1.0
        if limits.long > 0 { factor = min(factor, Double(limits.long) / sides.long) }
        if limits.short > 0 { factor = min(factor, Double(limits.short) / sides.short) }
        let declared = keepsOrientation ? picture.attachments.orientation : .up
        if renderSize == nil, factor == 1, declared == picture.attachments.orientation {
            // Stored as they are, whatever the shape of their pixels.
            width = Self.rounded(Double(picture.width), step.x)
            height = Self.rounded(Double(picture.height), step.y)
            pixelAspectRatio = picture.attachments.pixelAspectRatio
        } else {
            let size = declared.swapsAxes ? (base.height, base.width) : (base.width, base.height)
            width = Self.rounded(size.0 * factor, step.x)
            height = Self.rounded(size.1 * factor, step.y)
            pixelAspectRatio = .square
        }
        orientation = declared
    }

    /// Rounds down to a multiple of a step, but not to nothing. Sums of fractions count as whole.
    private static func rounded(_ size: Double, _ step: Int) -> Int {
        max(step, Int((size + 1e-6).rounded(.down)) / step * step)
    }

    /// Returns the rotation that is applied to a frame.
    func rotation(of buffer: PixelBuffer) -> PictureOrientation {
        buffer.attachments.orientation == orientation ? .up : buffer.attachments.orientation
    }

    /// A Boolean value that indicates whether a frame fills the result without scaling or rotation.
    func isUnscaled(_ buffer: PixelBuffer) -> Bool {
        buffer.width == width && buffer.height == height && rotation(of: buffer) == .up
            && buffer.attachments.pixelAspectRatio == pixelAspectRatio
    }

    /// Returns the place of a frame: as large as fits, in the middle.
    func rectangle(of buffer: PixelBuffer) -> FrameScaler.Rectangle {
        let ratio = buffer.attachments.pixelAspectRatio
        let wide = Double(buffer.width) * Double(ratio.horizontal) / Double(ratio.vertical)
        let swaps = rotation(of: buffer).swapsAxes
        let own = Double(pixelAspectRatio.vertical) / Double(pixelAspectRatio.horizontal)
        let shown =
            swaps ? (Double(buffer.height) * own, wide) : (wide * own, Double(buffer.height))
        let factor = min(Double(width) / shown.0, Double(height) / shown.1)
        func side(_ length: Double, _ limit: Int, _ step: Int) -> Int {
            // A rest of less than two pixels is not worth a black line.
            let size = Int((length * factor).rounded())
            return limit - size < 2 * step ? limit : max(step, size / step * step)
        }
        let size = (side(shown.0, width, step.x), side(shown.1, height, step.y))
        return FrameScaler.Rectangle(
            x: (width - size.0) / 2 / step.x * step.x, y: (height - size.1) / 2 / step.y * step.y,
            width: size.0, height: size.1)
    }
}

// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadWriting

/// The size of exported frames, and the position of source frames in them.
package struct ExportGeometry: Equatable {
    /// The stored size, in pixels.
    package let width: Int
    package let height: Int
    /// The rotation that the file declares, which is not applied to the frames.
    package let orientation: PictureOrientation
    /// The aspect ratio of a pixel.
    package let pixelAspectRatio: PixelBufferAttachments.PixelAspectRatio
    private let step: (x: Int, y: Int)

    package static func == (left: ExportGeometry, right: ExportGeometry) -> Bool {
        left.width == right.width && left.height == right.height
            && left.orientation == right.orientation
            && left.pixelAspectRatio == right.pixelAspectRatio
    }

    /// Determines the size for an export.
    ///
    /// - Parameters:
    ///   - picture: The source's frames.
    ///   - limits: The maximum lengths of the longer and of the shorter side; 0 for no maximum.
    ///   - renderSize: The size of the upright frames; nil to use the size of the source's frames.
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
            // The frames are stored unscaled, with any pixel aspect ratio.
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

    /// Rounds a size down to a multiple of a step, but not to 0. A size that is just below a whole
    /// number, because fractions were added up, counts as that number.
    private static func rounded(_ size: Double, _ step: Int) -> Int {
        max(step, Int((size + 1e-6).rounded(.down)) / step * step)
    }

    /// Returns the rotation that is applied to a frame.
    func rotation(of buffer: PixelBuffer) -> PictureOrientation {
        buffer.attachments.orientation == orientation ? .up : buffer.attachments.orientation
    }

    /// Returns a Boolean value that indicates whether a frame fills the result without scaling or
    /// rotation.
    func isUnscaled(_ buffer: PixelBuffer) -> Bool {
        buffer.width == width && buffer.height == height && rotation(of: buffer) == .up
            && buffer.attachments.pixelAspectRatio == pixelAspectRatio
    }

    /// Returns the rectangle for a frame: as large as possible, and centred.
    func rectangle(of buffer: PixelBuffer) -> FrameScaler.Rectangle {
        let ratio = buffer.attachments.pixelAspectRatio
        let wide = Double(buffer.width) * Double(ratio.horizontal) / Double(ratio.vertical)
        let swaps = rotation(of: buffer).swapsAxes
        let own = Double(pixelAspectRatio.vertical) / Double(pixelAspectRatio.horizontal)
        let shown =
            swaps ? (Double(buffer.height) * own, wide) : (wide * own, Double(buffer.height))
        let factor = min(Double(width) / shown.0, Double(height) / shown.1)
        func side(_ length: Double, _ limit: Int, _ step: Int) -> Int {
            // If fewer than two chroma samples would remain black, the frame fills the whole
            // length. This avoids a thin black line.
            let size = Int((length * factor).rounded())
            return limit - size < 2 * step ? limit : max(step, size / step * step)
        }
        let size = (side(shown.0, width, step.x), side(shown.1, height, step.y))
        return FrameScaler.Rectangle(
            x: (width - size.0) / 2 / step.x * step.x, y: (height - size.1) / 2 / step.y * step.y,
            width: size.0, height: size.1)
    }
}

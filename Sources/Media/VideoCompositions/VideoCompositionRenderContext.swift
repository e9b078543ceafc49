// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// The properties of the frames that a compositor composes, and a pool of memory for them.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVVideoCompositionRenderContext`.
public final class VideoCompositionRenderContext: Sendable {
    /// The size of the frames, in pixels: the render size times the render scale.
    public let size: (width: Int, height: Int)
    /// The scale of the frames relative to the render size.
    public let renderScale: Double
    /// The colour space of the frames.
    public let colorSpace: ColorSpace

    private let pool = PlainPixelBufferPool(byteLimit: 256 << 20)

    init(size: (width: Int, height: Int), renderScale: Double, colorSpace: ColorSpace) {
        self.size = size
        self.renderScale = renderScale
        self.colorSpace = colorSpace
    }

    /// Returns a frame in `.rgba`. Its memory is reused after the frame is released.
    ///
    /// - Parameter fill: A function that writes the frame. It receives the bytes, which are not
    ///   cleared, and the number of bytes per row.
    /// - Corresponds to: `newPixelBuffer()`.
    public func makePixelBuffer(
        _ fill: (_ bytes: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) -> Void
    ) -> PixelBuffer {
        PixelBuffer(
            format: .rgba, width: size.width, height: size.height,
            attachments: PixelBufferAttachments(color: .picture(in: colorSpace)), pool: pool
        ) { _, bytes, bytesPerRow in fill(bytes, bytesPerRow) }
    }
}

extension ColorAttachments {
    /// Returns the colour attachments of frames in `.rgba` in a colour space.
    package static func picture(in space: ColorSpace) -> ColorAttachments {
        ColorAttachments(
            matrix: .rgb, range: .full, primaries: space.primaries,
            transfer: space == .bt709 ? .sRGB : space.transfer)
    }
}

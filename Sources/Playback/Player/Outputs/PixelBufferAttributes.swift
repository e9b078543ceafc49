// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// The attributes of the frames that an output should provide.
///
///     let output = try PlayerItemVideoOutput(
///         pixelBufferAttributes: PixelBufferAttributes(pixelFormat: .bgra, width: 640))
///
/// - Corresponds to: `pixelBufferAttributes` of `AVPlayerItemVideoOutput`, with
///   `kCVPixelBufferPixelFormatTypeKey`, `…WidthKey` and `…HeightKey`.
public struct PixelBufferAttributes: Sendable, Hashable {
    /// The pixel format: `bgra`, `rgba`, `nv12`, `yuv420p`, `yuv420p10` or `gray8`.
    public var pixelFormat: PixelFormat
    /// The width in pixels, before orientation is applied. 0 stands for the width of the video or,
    /// if a height is set, for the width that keeps the video's proportions.
    public var width: Int
    /// The height in pixels, before orientation is applied. 0 has the same meaning as for the
    /// width.
    public var height: Int
    /// The colour space; nil for the colour space of the video.
    public var colorSpace: ColorSpace?

    /// Creates attributes. By default, frames have the video's size and colour space.
    public init(
        pixelFormat: PixelFormat, width: Int = 0, height: Int = 0, colorSpace: ColorSpace? = nil
    ) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.colorSpace = colorSpace
    }
}

// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// The frames that an output is asked for.
///
///     let output = try PlayerItemVideoOutput(
///         pixelBufferAttributes: PixelBufferAttributes(pixelFormat: .bgra, width: 640))
///
/// - Corresponds to: `pixelBufferAttributes` of `AVPlayerItemVideoOutput`, with
///   `kCVPixelBufferPixelFormatTypeKey`, `…WidthKey` and `…HeightKey`.
public struct PixelBufferAttributes: Sendable, Hashable {
    /// The pixel format: `bgra`, `rgba`, `nv12`, `yuv420p`, `yuv420p10` or `gray8`.
    public var pixelFormat: PixelFormat
    /// The width in pixels, before orientation; 0 for that of the video, or, with a height, for the
    /// one with the same proportions.
    public var width: Int
    /// The height in pixels, before orientation; 0 as for the width.
    public var height: Int
    /// The colour space; nil for that of the video.
    public var colorSpace: ColorSpace?

    /// Creates attributes; by default, for frames of the video's size and colour space.
    public init(
        pixelFormat: PixelFormat, width: Int = 0, height: Int = 0, colorSpace: ColorSpace? = nil
    ) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.colorSpace = colorSpace
    }
}

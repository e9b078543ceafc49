// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// The format of the samples that a video encoder receives.
///
/// - Corresponds to: `kCVPixelBufferPixelFormatTypeKey` of an `AVAssetWriterInput`'s settings.
public struct VideoSampleFormat: Sendable, Hashable, CustomStringConvertible {
    /// The components, and the resolution of chroma.
    public enum Model: String, Sendable, Hashable, CaseIterable {
        /// Y'CbCr with one chroma sample for four pixels.
        case yuv420
        /// Y'CbCr with one chroma sample for two pixels in a row.
        case yuv422
        /// Y'CbCr with one chroma sample for each pixel.
        case yuv444
        /// R'G'B'.
        case rgb
    }

    /// The components, and the resolution of chroma.
    public var model: Model
    /// The number of bits per sample: 8, 10 or 12; 8 for RGB.
    public var bitDepth: Int
    /// A Boolean value that indicates whether alpha is stored.
    public var hasAlpha: Bool

    /// Creates a format.
    public init(_ model: Model, bitDepth: Int = 8, hasAlpha: Bool = false) {
        self.model = model
        self.bitDepth = bitDepth
        self.hasAlpha = hasAlpha
    }

    /// The layout of the pixel buffers that the encoder receives without conversion.
    public var pixelFormat: PixelFormat {
        let chroma =
            switch model {
            case .yuv420: (1, 1)
            case .yuv422: (1, 0)
            case .yuv444: (0, 0)
            case .rgb: (0, 0)
            }
        if model == .rgb { return .bgra }
        return .planarYCbCr(depth: bitDepth, chroma: chroma, hasAlpha: hasAlpha)
    }

    /// Creates the format that is nearest to the layout of a decoded frame and that encoders
    /// accept.
    package init(of format: PixelFormat) {
        let depth = format.bitDepth <= 8 ? 8 : format.bitDepth <= 10 ? 10 : 12
        switch format.model {
        case .rgb: self.init(.rgb, bitDepth: 8, hasAlpha: format.hasAlpha)
        case .gray: self.init(.yuv420, bitDepth: depth, hasAlpha: format.hasAlpha)
        case .yCbCr:
            let model: Model =
                format.log2ChromaWidth == 0
                ? .yuv444 : format.log2ChromaHeight == 0 ? .yuv422 : .yuv420
            self.init(model, bitDepth: depth, hasAlpha: format.hasAlpha)
        }
    }

    /// The name of the layout, such as `yuv420p10le`.
    public var description: String { pixelFormat.name }
}

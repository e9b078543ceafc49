// SPDX-License-Identifier: Apache-2.0

/// A codec with which video can be encoded.
///
/// - Corresponds to: `AVVideoCodecType`.
public enum VideoCodecType: String, Sendable, Hashable, CaseIterable {
    /// H.264, encoded by x264.
    case h264
    /// HEVC, encoded by x265.
    case hevc
    /// AV1, encoded by SVT-AV1.
    case av1
    /// VP9, encoded by libvpx. Alpha is stored if the sample format has alpha.
    case vp9
    /// ProRes. The sample format selects 422 HQ or 4444.
    case proRes = "prores"
    /// FFV1, which is lossless.
    case ffv1
    /// DNxHR. The sample format selects HQ, HQX or 444.
    case dnxHR = "dnxhr"
    /// Motion JPEG.
    case motionJPEG = "mjpeg"
    /// GIF with 256 colours.
    case gif
    /// Animated WebP.
    case webP = "webp"
    /// Animated PNG, which is lossless.
    case apng

    /// The sample format that is used unless the settings specify another.
    public var defaultSampleFormat: VideoSampleFormat {
        switch self {
        case .h264, .hevc, .av1, .vp9: VideoSampleFormat(.yuv420, bitDepth: 8)
        case .proRes: VideoSampleFormat(.yuv422, bitDepth: 10)
        case .ffv1, .apng: VideoSampleFormat(.rgb, bitDepth: 8, hasAlpha: true)
        case .dnxHR: VideoSampleFormat(.yuv422, bitDepth: 8)
        case .motionJPEG: VideoSampleFormat(.yuv420, bitDepth: 8)
        case .gif: VideoSampleFormat(.rgb, bitDepth: 8)
        case .webP: VideoSampleFormat(.yuv420, bitDepth: 8, hasAlpha: true)
        }
    }

    /// A Boolean value that indicates whether the quality can be set by a constant rate factor.
    package var hasRateFactor: Bool {
        switch self {
        case .h264, .hevc, .av1, .vp9: true
        default: false
        }
    }
}

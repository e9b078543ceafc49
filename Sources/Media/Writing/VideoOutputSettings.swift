// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// The settings of an encoded video track.
///
///     var settings = VideoOutputSettings(codec: .hevc, width: 3840, height: 2160)
///     settings.sampleFormat = VideoSampleFormat(.yuv420, bitDepth: 10)
///     settings.bitRate = 12_000_000
///
/// - Corresponds to: the `outputSettings` of an `AVAssetWriterInput`.
public struct VideoOutputSettings: Sendable, Hashable {
    /// The codec.
    public var codec: VideoCodecType
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int
    /// The format of the samples that are encoded.
    public var sampleFormat: VideoSampleFormat
    /// The colour attachments of the samples, which the file declares. Unspecified values become
    /// BT.709 with limited range, or with full range for RGB.
    public var color: ColorAttachments
    /// The display on which the video was graded; nil if unknown.
    public var masteringDisplayColorVolume: MasteringDisplayColorVolume?
    /// The brightness of the video; nil if unknown.
    public var contentLightLevel: ContentLightLevel?
    /// The constant rate factor of H.264, HEVC, AV1 and VP9. Lower values give better quality; 0 is
    /// lossless for H.264. Nil selects good quality, or no rate factor if `bitRate` is set.
    public var rateFactor: Int?
    /// The mean bit rate, in bits per second; nil for constant quality.
    public var bitRate: Int?
    /// The maximum bit rate for H.264 and HEVC, in bits per second, averaged over two seconds; nil
    /// for no maximum. With a rate factor, the quality is reduced where the bit rate would exceed
    /// the maximum.
    public var maximumBitRate: Int?
    /// The encoder's preset, such as `veryfast`, or a number for AV1; nil for the default.
    public var preset: String?
    /// The maximum number of frames from one keyframe to the next; nil for the encoder's default.
    public var maximumKeyframeInterval: Int?
    /// The usual duration of a frame, which encoders and containers receive. It is also the
    /// duration of the last frame, if that frame has no duration of its own.
    public var frameDuration: MediaTime
    /// The number of time units per second. Times are rounded to these units. If nil, a number is
    /// chosen that represents multiples of `frameDuration` exactly.
    public var mediaTimeScale: Int32?
    /// A Boolean value that indicates whether a hardware encoder is tried first. If it cannot be
    /// opened, software encodes, and the input's `remarks` state this.
    public var prefersHardware = false
    /// A Boolean value that indicates whether parts of a frame are encoded independently of their
    /// surroundings, for videos in an atlas. H.264 and HEVC then use blocks of 16 x 16 that are
    /// each optimised separately, which takes about 14 % more bytes.
    package var codesPartsAlike = false
    /// The current pass if the video is encoded in two passes, which H.264 and HEVC with a bit rate
    /// support; nil for a single pass.
    package var pass: EncodingPass?
    /// Further options of the encoder. The keys are FFmpeg's names.
    package var encoderOptions: [String: String] = [:]

    /// Creates settings for a codec and a size.
    public init(
        codec: VideoCodecType, width: Int, height: Int,
        sampleFormat: VideoSampleFormat? = nil, color: ColorAttachments = ColorAttachments(),
        frameDuration: MediaTime = MediaTime(value: 1, timescale: 30)
    ) {
        self.codec = codec
        self.width = width
        self.height = height
        self.sampleFormat = sampleFormat ?? codec.defaultSampleFormat
        self.color = color
        self.frameDuration = frameDuration
    }

    /// The colour attachments that the file declares, without unspecified values.
    package var declaredColor: ColorAttachments {
        var color = color
        let isRGB = sampleFormat.model == .rgb
        if isRGB {
            color.matrix = .rgb
        } else if color.matrix == .unspecified || color.matrix == .rgb {
            color.matrix = .bt709
        }
        if color.range == .unspecified { color.range = isRGB ? .full : .limited }
        // FFmpeg's JPEG encoder accepts only full range.
        if codec == .motionJPEG { color.range = .full }
        if color.primaries == .unspecified { color.primaries = .bt709 }
        if color.transfer == .unspecified { color.transfer = .bt709 }
        return color
    }

    /// The number of time units per second.
    package var timescale: Int32 {
        if let mediaTimeScale, mediaTimeScale > 0 { return mediaTimeScale }
        guard frameDuration.isNumeric, frameDuration.timescale > 0 else { return 90_000 }
        // As in QuickTime's own writers, the scale is fine enough for frames that are not at a
        // constant rate.
        var scale = Int64(frameDuration.timescale)
        while scale < 10_000 { scale *= 2 }
        return Int32(clamping: scale)
    }
}

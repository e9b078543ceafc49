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
    /// The colours of the samples, which the file declares. Those that are unspecified are BT.709
    /// in limited range, for RGB in full range.
    public var color: ColorAttachments
    /// The display on which the video was graded; nil for none.
    public var masteringDisplayColorVolume: MasteringDisplayColorVolume?
    /// The brightness of the video; nil for none.
    public var contentLightLevel: ContentLightLevel?
    /// The constant rate factor of H.264, HEVC, AV1 and VP9, for which lower values have a better
    /// quality; nil for a good one, or if `bitRate` is set. 0 is lossless for H.264.
    public var rateFactor: Int?
    /// The mean number of bits in a second; nil for a constant quality.
    public var bitRate: Int?
    /// The largest number of bits in a second, as the mean of two seconds, for H.264 and HEVC; nil
    /// for no maximum. With a rate factor, the quality falls where the maximum would be exceeded.
    public var maximumBitRate: Int?
    /// The encoder's preset, such as `veryfast`, or for AV1 a number; nil for the default.
    public var preset: String?
    /// The maximum number of frames from one keyframe to the next; nil for the encoder's default.
    public var maximumKeyframeInterval: Int?
    /// The usual duration of a frame, which encoders and containers receive. It is also the
    /// duration of the last frame if that has none.
    public var frameDuration: MediaTime
    /// The number of time units in a second, to which times are rounded; nil for one that
    /// represents multiples of `frameDuration` exactly.
    public var mediaTimeScale: Int32?
    /// A Boolean value that indicates whether a hardware encoder is tried first. If it cannot be
    /// opened, software encodes, and the input's `remarks` have a line.
    public var prefersHardware = false
    /// Further options of the encoder, by FFmpeg's names.
    package var encoderOptions: [String: String] = [:]

    /// Creates the settings of a codec and a size.
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

    /// The colours that are declared, without unspecified values.
    package var declaredColor: ColorAttachments {
        var color = color
        let isRGB = sampleFormat.model == .rgb
        if isRGB {
            color.matrix = .rgb
        } else if color.matrix == .unspecified || color.matrix == .rgb {
            color.matrix = .bt709
        }
        if color.range == .unspecified { color.range = isRGB ? .full : .limited }
        // FFmpeg's encoder of JPEG takes full range only.
        if codec == .motionJPEG { color.range = .full }
        if color.primaries == .unspecified { color.primaries = .bt709 }
        if color.transfer == .unspecified { color.transfer = .bt709 }
        return color
    }

    /// The number of time units in a second.
    package var timescale: Int32 {
        if let mediaTimeScale, mediaTimeScale > 0 { return mediaTimeScale }
        guard frameDuration.isNumeric, frameDuration.timescale > 0 else { return 90_000 }
        // As QuickTime's own writers do: fine enough for frames between those of a constant rate.
        var scale = Int64(frameDuration.timescale)
        while scale < 10_000 { scale *= 2 }
        return Int32(clamping: scale)
    }
}

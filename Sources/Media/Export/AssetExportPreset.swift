// SPDX-License-Identifier: Apache-2.0

public import PlayheadWriting

/// The codecs, the size and the quality of an export.
///
/// The constants are complete presets. To change one, copy it:
///
///     var preset = AssetExportPreset.h264_1280x720
///     preset.rateFactor = 20
///
/// A size is a maximum: larger frames are scaled down to fit, and smaller ones are not scaled up.
/// For portrait video, width and height are exchanged. High dynamic range is preserved if the
/// encoded samples have 10 bits or more. If they have 8 bits, it is tone mapped to BT.709.
///
/// - Corresponds to: `AVAssetExportPresetHighestQuality` and its siblings.
public struct AssetExportPreset: Sendable, Hashable {
    /// The preset's name, such as `h264-1280x720`.
    public var name: String
    /// The video codec; nil for audio only.
    public var videoCodec: VideoCodecType?
    /// The format of the encoded samples; nil for the format that is nearest to the source's.
    public var sampleFormat: VideoSampleFormat?
    /// The maximum length of the longer side, in pixels; 0 for no maximum.
    public var maximumLongSide = 0
    /// The maximum length of the shorter side, in pixels; 0 for no maximum.
    public var maximumShortSide = 0
    /// The constant rate factor; nil for codecs that have no rate factor.
    public var rateFactor: Int?
    /// The maximum bit rate of video, in bits per second, averaged over two seconds; nil for no
    /// maximum. H.264 and HEVC support a maximum.
    public var maximumVideoBitRate: Int?
    /// The encoder's own preset, such as `medium`; nil for the default.
    public var encoderPreset: String?
    /// The audio codec; nil for video only.
    public var audioCodec: AudioCodecType?
    /// The bit rate of stereo audio, in bits per second, for AAC and Opus; nil for 128 kbit/s.
    public var audioBitRate: Int?
    /// The containers that the preset supports, the usual one first.
    public var fileTypes: [MediaFileType]
    /// A Boolean value that indicates whether compressed samples are copied without encoding.
    public internal(set) var isPassthrough = false

    private init(
        _ name: String, _ video: VideoCodecType?, _ format: VideoSampleFormat? = nil,
        within size: (Int, Int) = (0, 0), rateFactor: Int? = nil, maximum: Int? = nil,
        audio: AudioCodecType? = nil, _ audioBitRate: Int? = nil, in fileTypes: [MediaFileType]
    ) {
        self.name = name
        videoCodec = video
        sampleFormat = format
        (maximumLongSide, maximumShortSide) = size
        self.rateFactor = rateFactor
        maximumVideoBitRate = maximum
        audioCodec = audio
        self.audioBitRate = audioBitRate
        self.fileTypes = fileTypes
    }

    private static let movies: [MediaFileType] = [.mp4, .quickTime, .matroska]

    private static func h264(
        _ size: (Int, Int), _ rateFactor: Int = 23, maximum: Int, audio: Int = 160_000,
        name: String? = nil
    ) -> AssetExportPreset {
        AssetExportPreset(
            name ?? "h264-\(size.0)x\(size.1)", .h264, .init(.yuv420), within: size,
            rateFactor: rateFactor, maximum: maximum, audio: .aac, audio, in: movies)
    }

    private static func hevc(_ size: (Int, Int), maximum: Int) -> AssetExportPreset {
        AssetExportPreset(
            "hevc-\(size.0)x\(size.1)", .hevc, .init(.yuv420, bitDepth: 10), within: size,
            rateFactor: 24, maximum: maximum, audio: .aac, 160_000, in: movies)
    }

    // MARK: - Constants

    /// H.264 within 426 x 240, rate factor 28, at most 0.4 Mbit/s; AAC of 64 kbit/s.
    public static let lowQuality = h264(
        (426, 240), 28, maximum: 400_000, audio: 64_000, name: "low")
    /// H.264 within 854 x 480, rate factor 24, at most 2 Mbit/s; AAC of 128 kbit/s.
    public static let mediumQuality = h264(
        (854, 480), 24, maximum: 2_000_000, audio: 128_000, name: "medium")
    /// H.264 in the source's size, rate factor 18; AAC of 192 kbit/s.
    public static let highestQuality = AssetExportPreset(
        "highest", .h264, .init(.yuv420), rateFactor: 18, audio: .aac, 192_000, in: movies)

    /// H.264 within 640 x 480, rate factor 23, at most 2.5 Mbit/s; AAC of 160 kbit/s.
    public static let h264_640x480 = h264((640, 480), maximum: 2_500_000)
    /// H.264 within 960 x 540, rate factor 23, at most 3.5 Mbit/s; AAC of 160 kbit/s.
    public static let h264_960x540 = h264((960, 540), maximum: 3_500_000)
    /// H.264 within 1280 x 720, rate factor 23, at most 6 Mbit/s; AAC of 160 kbit/s.
    public static let h264_1280x720 = h264((1280, 720), maximum: 6_000_000)
    /// H.264 within 1920 x 1080, rate factor 23, at most 12 Mbit/s; AAC of 160 kbit/s.
    public static let h264_1920x1080 = h264((1920, 1080), maximum: 12_000_000)
    /// H.264 within 3840 x 2160, rate factor 23, at most 45 Mbit/s; AAC of 160 kbit/s.
    public static let h264_3840x2160 = h264((3840, 2160), maximum: 45_000_000)

    /// HEVC of 10 bits in the source's size, rate factor 20; AAC of 192 kbit/s.
    public static let hevcHighestQuality = AssetExportPreset(
        "hevc-highest", .hevc, .init(.yuv420, bitDepth: 10), rateFactor: 20, audio: .aac, 192_000,
        in: movies)
    /// HEVC of 10 bits within 1920 x 1080, rate factor 24, at most 8 Mbit/s; AAC of 160 kbit/s.
    public static let hevc1920x1080 = hevc((1920, 1080), maximum: 8_000_000)
    /// HEVC of 10 bits within 3840 x 2160, rate factor 24, at most 30 Mbit/s; AAC of 160 kbit/s.
    public static let hevc3840x2160 = hevc((3840, 2160), maximum: 30_000_000)
    /// AV1 of 10 bits in the source's size, rate factor 30; Opus of 128 kbit/s.
    public static let av1HighestQuality = AssetExportPreset(
        "av1-highest", .av1, .init(.yuv420, bitDepth: 10), rateFactor: 30, audio: .opus, 128_000,
        in: [.mp4, .webM, .matroska])
    /// VP9 in the source's size, rate factor 24; Opus of 128 kbit/s.
    public static let vp9HighestQuality = AssetExportPreset(
        "vp9-highest", .vp9, .init(.yuv420), rateFactor: 24, audio: .opus, 128_000,
        in: [.webM, .matroska, .mp4])

    /// ProRes 422 HQ in the source's size, about 220 Mbit/s at 1920 x 1080 and 30 frames per
    /// second; PCM of 24 bits.
    public static let proRes422LPCM = AssetExportPreset(
        "prores-422", .proRes, .init(.yuv422, bitDepth: 10), audio: .pcm24,
        in: [.quickTime, .matroska])
    /// ProRes 4444 with alpha in the source's size, about 330 Mbit/s at 1920 x 1080 and 30 frames
    /// per second; PCM of 24 bits.
    public static let proRes4444LPCM = AssetExportPreset(
        "prores-4444", .proRes, .init(.yuv444, bitDepth: 10, hasAlpha: true), audio: .pcm24,
        in: [.quickTime, .matroska])
    /// FFV1 in the source's size and sample format, lossless; FLAC.
    public static let losslessFFV1 = AssetExportPreset("ffv1", .ffv1, audio: .flac, in: [.matroska])

    /// AAC of 256 kbit/s, without video.
    public static let appleM4A = AssetExportPreset("m4a", nil, audio: .aac, 256_000, in: [.m4a])
    /// FLAC of 24 bits, without video.
    public static let audioFLAC = AssetExportPreset("flac", nil, audio: .flac, in: [.flac])
    /// PCM of 24 bits in WAVE, without video.
    public static let audioWAVE = AssetExportPreset("wav", nil, audio: .pcm24, in: [.wave])
    /// An animation of 256 colours within 480 x 480, without audio.
    public static let animatedGIF = AssetExportPreset(
        "gif", .gif, within: (480, 480), in: [.gif])

    /// The compressed samples of the source, byte for byte. In MP4 and QuickTime files, an edit
    /// list makes a range start and end at the exact times.
    public static let passthrough: AssetExportPreset = {
        var preset = AssetExportPreset(
            "passthrough", nil, in: [.mp4, .quickTime, .matroska, .webM])
        preset.isPassthrough = true
        return preset
    }()

    /// All presets except `passthrough`, in the order in which they are declared.
    public static let all: [AssetExportPreset] = [
        .lowQuality, .mediumQuality, .highestQuality, .h264_640x480, .h264_960x540,
        .h264_1280x720, .h264_1920x1080, .h264_3840x2160, .hevcHighestQuality, .hevc1920x1080,
        .hevc3840x2160, .av1HighestQuality, .vp9HighestQuality, .proRes422LPCM, .proRes4444LPCM,
        .losslessFFV1, .appleM4A, .audioFLAC, .audioWAVE, .animatedGIF,
    ]
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The report about a track. Unknown properties are omitted.
struct InspectTrack: Encodable {
    var index: Int
    /// The type in ffprobe's terms, in which captions are subtitles, and time codes data.
    var type: String
    var mediaType: String
    var isEncrypted: Bool?
    /// The formats of the samples, if there are several.
    var formats: [Format]?
    var codecName: String
    var codecTag: String?
    var profile: String?
    var level: Int?
    var language: String?
    var title: String?
    var isDefault: Bool
    var isEnabled: Bool
    var isAttachedPicture: Bool
    /// The purposes: `forced`, `comment` and so on.
    var characteristics: [String]
    var timeBase: String
    var startTime: Double?
    var duration: Double?
    var frameCount: Int?
    var bitRate: Int?
    var segments: [Segment]?
    var tags: [String: String]?

    var width: Int?
    var height: Int?
    var displayWidth: Int?
    var displayHeight: Int?
    var pixelFormat: String?
    var sampleAspectRatio: String?
    var rotation: Int?
    var isMirrored: Bool?
    var frameRate: Double?
    /// The duration of the shortest frame, in seconds.
    var minimumFrameDuration: Double?
    var fieldOrder: String?
    var colorSpace: String?
    var colorRange: String?
    var colorPrimaries: String?
    var colorTransfer: String?
    var chromaLocation: String?
    var masteringDisplay: MasteringDisplay?
    var contentLight: ContentLight?
    var dolbyVision: DolbyVision?
    var cleanAperture: [Int]?
    var stereoLayout: String?
    var projection: String?

    var sampleRate: Int?
    var channels: Int?
    var channelLayout: String?
    var sampleFormat: String?

    /// A format of samples.
    struct Format: Encodable {
        var codecName: String
        var codecTag: String?
        var width: Int?
        var height: Int?

        enum CodingKeys: String, CodingKey {
            case width, height
            case codecName = "codec_name"
            case codecTag = "codec_tag"
        }

        init(_ format: FormatDescription) {
            (codecName, codecTag) = (format.codec, format.codecTag)
            (width, height) = (format.video?.width, format.video?.height)
        }
    }

    /// An entry of the edit list, with times in seconds.
    struct Segment: Encodable {
        var start: Double
        var duration: Double
        /// The start in the media; nil for an empty edit.
        var mediaStart: Double?
        var rate: Double

        enum CodingKeys: String, CodingKey {
            case start, duration, rate
            case mediaStart = "media_start"
        }
    }

    /// The mastering display. Chromaticities are pairs of x and y, and luminances are in candela
    /// per square metre.
    struct MasteringDisplay: Encodable {
        var red: [Double]?
        var green: [Double]?
        var blue: [Double]?
        var white: [Double]?
        var minimumLuminance: Double
        var maximumLuminance: Double

        enum CodingKeys: String, CodingKey {
            case red, green, blue, white
            case minimumLuminance = "min_luminance"
            case maximumLuminance = "max_luminance"
        }
    }

    struct ContentLight: Encodable {
        var maximum: Int
        var average: Int

        enum CodingKeys: String, CodingKey {
            case maximum = "max_content"
            case average = "max_average"
        }
    }

    struct DolbyVision: Encodable {
        var profile: Int
        var level: Int
        var baseCompatibility: Int

        enum CodingKeys: String, CodingKey {
            case profile = "dv_profile"
            case level = "dv_level"
            case baseCompatibility = "dv_bl_signal_compatibility_id"
        }
    }

    enum CodingKeys: String, CodingKey {
        case index, type, profile, level, language, title, duration, width, height, rotation
        case channels, segments, tags, characteristics, projection, formats
        case mediaType = "media_type"
        case isEncrypted = "encrypted"
        case codecName = "codec_name"
        case codecTag = "codec_tag"
        case isDefault = "default"
        case isEnabled = "enabled"
        case isAttachedPicture = "attached_pic"
        case timeBase = "time_base"
        case startTime = "start_time"
        case frameCount = "nb_frames"
        case bitRate = "bit_rate"
        case displayWidth = "display_width"
        case displayHeight = "display_height"
        case pixelFormat = "pix_fmt"
        case sampleAspectRatio = "sample_aspect_ratio"
        case isMirrored = "mirrored"
        case frameRate = "frame_rate"
        case minimumFrameDuration = "min_frame_duration"
        case fieldOrder = "field_order"
        case colorSpace = "color_space"
        case colorRange = "color_range"
        case colorPrimaries = "color_primaries"
        case colorTransfer = "color_transfer"
        case chromaLocation = "chroma_location"
        case masteringDisplay = "mastering_display"
        case contentLight = "content_light"
        case dolbyVision = "dolby_vision"
        case cleanAperture = "clean_aperture"
        case stereoLayout = "stereo"
        case sampleRate = "sample_rate"
        case channelLayout = "channel_layout"
        case sampleFormat = "sample_fmt"
    }

    init(_ track: AssetTrack) {
        let format = track.formatDescription
        index = track.id
        type =
            switch track.mediaType {
            case .video, .audio, .subtitle, .data, .attachment: track.mediaType.rawValue
            case .closedCaption: MediaType.subtitle.rawValue
            case .timecode, .metadata: MediaType.data.rawValue
            }
        mediaType = track.mediaType.rawValue
        isEncrypted = track.isEncrypted ? true : nil
        formats =
            track.formatDescriptions.count > 1
            ? track.formatDescriptions.map(Format.init) : nil
        codecName = format.codec
        codecTag = format.codecTag
        profile = format.profile
        level = format.level
        language = track.languageTag
        title = track.title
        isDefault = track.isDefault
        isEnabled = track.isEnabled
        isAttachedPicture = track.isAttachedPicture
        characteristics = track.characteristics.map(\.rawValue).sorted()
        timeBase = "\(track.timeUnit.value)/\(track.timeUnit.timescale)"
        startTime = track.timeRange.start.secondsIfNumeric
        duration = track.timeRange.duration.secondsIfNumeric
        frameCount = track.sampleCount > 0 ? track.sampleCount : nil
        bitRate = track.estimatedDataRate > 0 ? track.estimatedDataRate : nil
        segments = track.segments.isEmpty ? nil : track.segments.map(Segment.init)
        tags = track.metadata.isEmpty ? nil : InspectReport.texts(track.metadata)
        if let video = format.video { describe(video, of: track) }
        if let audio = format.audio {
            sampleRate = audio.sampleRate
            channels = audio.channelCount
            channelLayout = audio.channelLayout.isEmpty ? nil : audio.channelLayout
            sampleFormat = audio.sampleFormat.isEmpty ? nil : audio.sampleFormat
        }
    }

    private mutating func describe(_ video: FormatDescription.Video, of track: AssetTrack) {
        let attachments = video.attachments
        let ratio = attachments.pixelAspectRatio
        // A size that the container does not declare is omitted, as by ffprobe.
        width = video.width
        height = video.height
        let natural = track.naturalSize
        let size = (Int(natural.width.rounded()), Int(natural.height.rounded()))
        let swaps = track.preferredTransform.swapsAxes
        displayWidth = swaps ? size.1 : size.0
        displayHeight = swaps ? size.0 : size.1
        pixelFormat = video.pixelFormat.isEmpty ? nil : video.pixelFormat
        sampleAspectRatio = "\(ratio.horizontal):\(ratio.vertical)"
        rotation = attachments.orientation.degrees
        isMirrored = attachments.orientation.isMirrored
        frameRate = track.nominalFrameRate > 0 ? track.nominalFrameRate : nil
        minimumFrameDuration = track.minimumFrameDuration.secondsIfNumeric
        fieldOrder = ColorNames.fieldOrder(attachments.fieldOrder)
        stereoLayout = video.stereoLayout
        projection = video.projection
        cleanAperture = video.cleanAperture.map { [$0.x, $0.y, $0.width, $0.height] }
        describe(attachments)
        dolbyVision = video.dolbyVision.map {
            DolbyVision(
                profile: $0.profile, level: $0.level, baseCompatibility: $0.baseCompatibility)
        }
    }

    private mutating func describe(_ attachments: PixelBufferAttachments) {
        let color = attachments.color
        colorSpace = color.matrix.name
        colorRange = ColorNames.range(color.range)
        colorPrimaries = color.primaries.name
        colorTransfer = color.transfer.name
        chromaLocation = ColorNames.chromaLocation(color.chromaLocation)
        masteringDisplay = attachments.masteringDisplayColorVolume.map { volume in
            func pair(_ place: SIMD2<Double>?) -> [Double]? { place.map { [$0.x, $0.y] } }
            return MasteringDisplay(
                red: pair(volume.chromaticities?.red), green: pair(volume.chromaticities?.green),
                blue: pair(volume.chromaticities?.blue), white: pair(volume.chromaticities?.white),
                minimumLuminance: volume.minimumLuminance,
                maximumLuminance: volume.maximumLuminance)
        }
        contentLight = attachments.contentLightLevel.map {
            ContentLight(
                maximum: $0.maximumContentLightLevel, average: $0.maximumFrameAverageLightLevel)
        }
    }
}

extension InspectTrack.Segment {
    init(_ segment: AssetTrackSegment) {
        let mapping = segment.timeMapping
        start = mapping.target.start.seconds
        duration = mapping.target.duration.seconds
        mediaStart = mapping.source.start.secondsIfNumeric
        rate = mapping.rate.isFinite ? mapping.rate : 1
    }
}

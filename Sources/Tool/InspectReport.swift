// SPDX-License-Identifier: Apache-2.0

import Playhead

/// What `inspect --json` prints. The keys are a contract; where ffprobe has a name for a fact, it is
/// the same one.
struct InspectReport: Encodable {
    var file: String
    var format: String
    var duration: Double?
    var startTime: Double?
    var timestampOffset: Double
    var bitRate: Int?
    var tracks: [Track]
    var chapters: [ChapterLine]
    var metadata: [String: String]

    struct Track: Encodable {
        var index: Int
        var type: String
        var codecName: String
        var codecTag: String?
        var profile: String?
        var language: String?
        var title: String?
        var isDefault: Bool
        var isAttachedPicture: Bool
        var startTime: Double?
        var duration: Double?
        var frameCount: Int?
        var bitRate: Int?
        var width: Int?
        var height: Int?
        var displayWidth: Int?
        var displayHeight: Int?
        var pixelFormat: String?
        var sampleAspectRatio: String?
        var rotation: Int?
        var isMirrored: Bool?
        var frameRate: Double?
        var fieldOrder: String?
        var colorSpace: String?
        var colorRange: String?
        var colorPrimaries: String?
        var colorTransfer: String?
        var chromaLocation: String?
        var sampleRate: Int?
        var channels: Int?
        var channelLayout: String?
        var sampleFormat: String?

        enum CodingKeys: String, CodingKey {
            case index, type, profile, language, title, duration, width, height, rotation, channels
            case codecName = "codec_name"
            case codecTag = "codec_tag"
            case isDefault = "default"
            case isAttachedPicture = "attached_pic"
            case startTime = "start_time"
            case frameCount = "nb_frames"
            case bitRate = "bit_rate"
            case displayWidth = "display_width"
            case displayHeight = "display_height"
            case pixelFormat = "pix_fmt"
            case sampleAspectRatio = "sample_aspect_ratio"
            case isMirrored = "mirrored"
            case frameRate = "frame_rate"
            case fieldOrder = "field_order"
            case colorSpace = "color_space"
            case colorRange = "color_range"
            case colorPrimaries = "color_primaries"
            case colorTransfer = "color_transfer"
            case chromaLocation = "chroma_location"
            case sampleRate = "sample_rate"
            case channelLayout = "channel_layout"
            case sampleFormat = "sample_fmt"
        }
    }

    struct ChapterLine: Encodable {
        var title: String
        var start: Double
        var end: Double
    }

    enum CodingKeys: String, CodingKey {
        case file, format, duration, tracks, chapters, metadata
        case startTime = "start_time"
        case timestampOffset = "timestamp_offset"
        case bitRate = "bit_rate"
    }

    init(file: String, description: AssetDescription) {
        self.file = file
        format = description.container
        duration = description.duration.secondsIfNumeric
        startTime = description.startTime.secondsIfNumeric
        timestampOffset = description.timestampOffset.secondsIfNumeric ?? 0
        bitRate = description.dataRate > 0 ? description.dataRate : nil
        tracks = description.tracks.map(Track.init)
        chapters = description.chapters.map {
            ChapterLine(
                title: $0.title, start: $0.timeRange.start.seconds, end: $0.timeRange.end.seconds)
        }
        metadata = Dictionary(
            description.metadata.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }
        )
    }
}

extension InspectReport.Track {
    init(_ track: AssetTrack) {
        let format = track.formatDescription
        index = track.id
        type = track.mediaType.rawValue
        codecName = format.codec
        codecTag = format.codecTag
        profile = format.profile
        language = track.languageTag
        title = track.title
        isDefault = track.isDefault
        isAttachedPicture = track.isAttachedPicture
        startTime = track.timeRange.start.secondsIfNumeric
        duration = track.timeRange.duration.secondsIfNumeric
        frameCount = track.sampleCount > 0 ? track.sampleCount : nil
        bitRate = track.estimatedDataRate > 0 ? track.estimatedDataRate : nil
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
        let color = attachments.color
        let ratio = attachments.pixelAspectRatio
        width = video.width
        height = video.height
        let wide = (Double(video.width * ratio.horizontal) / Double(ratio.vertical)).rounded()
        let swaps = attachments.orientation.swapsAxes
        displayWidth = swaps ? video.height : Int(wide)
        displayHeight = swaps ? Int(wide) : video.height
        pixelFormat = video.pixelFormat.isEmpty ? nil : video.pixelFormat
        sampleAspectRatio = "\(ratio.horizontal):\(ratio.vertical)"
        rotation = attachments.orientation.degrees
        isMirrored = attachments.orientation.isMirrored
        frameRate = track.nominalFrameRate > 0 ? track.nominalFrameRate : nil
        fieldOrder = ColorNames.fieldOrder(attachments.fieldOrder)
        colorSpace = ColorNames.matrix(color.matrix)
        colorRange = ColorNames.range(color.range)
        colorPrimaries = ColorNames.primaries(color.primaries)
        colorTransfer = ColorNames.transfer(color.transfer)
        chromaLocation = ColorNames.chromaLocation(color.chromaLocation)
    }
}

extension MediaTime {
    /// Seconds; nil for a time that is no number, which JSON cannot say.
    var secondsIfNumeric: Double? { isNumeric ? seconds : nil }
}

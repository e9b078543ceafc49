// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A track of an asset, such as the video, the audio in one language, or subtitles.
///
/// - Corresponds to: `AVAssetTrack`, with the values already loaded.
public struct AssetTrack: Sendable, Hashable, Identifiable {
    /// The identifier of the track in its asset. It is the index of the container's stream.
    public var id: Int
    /// The type, such as video, audio or subtitles.
    public var mediaType: MediaType
    /// The format of the track's samples: codec, size, colour, channels.
    public var formatDescription: FormatDescription
    /// The formats of samples in other formats than `formatDescription`.
    package var furtherFormats: [FormatDescription] = []
    /// The language as a BCP 47 or ISO 639 tag from the file, such as `en` or `eng`; nil if the
    /// file states no language.
    public var languageTag: String?
    /// The title of the track; nil if it has no title.
    public var title: String?
    /// A Boolean value that indicates whether the file marks the track as one to play by default.
    public var isDefault: Bool
    /// A Boolean value that indicates whether the track plays unless another track is selected. It
    /// is `false` if a QuickTime or MP4 file disables the track.
    public var isEnabled: Bool
    /// The purposes of the track.
    public var characteristics: Set<MediaCharacteristic>
    /// A Boolean value that indicates whether the track is a single still image that belongs to the
    /// whole asset, such as an album's cover.
    public var isAttachedPicture: Bool
    /// The range of the asset's timeline in which the track has samples. If the container does not
    /// state it, the range is `indefinite` or estimated.
    public var timeRange: MediaTimeRange
    /// The unit of the stream's timestamps.
    package var timeUnit: MediaTime
    /// The mean frame rate, in frames per second; 0 if it is unknown or too variable to state.
    public var nominalFrameRate: Double
    /// The time from one frame to the next at the nominal rate; `invalid` if unknown.
    public var frameDuration: MediaTime
    /// The minimum time between two frames; `invalid` if unknown. A display with a variable refresh
    /// rate must support this interval.
    public var minimumFrameDuration: MediaTime
    /// The data rate, in bits per second; 0 if unknown.
    public var estimatedDataRate: Int
    /// The number of samples that the container declares; 0 if it declares no number.
    package var sampleCount: Int
    /// The edit list, in order; empty if the container has no edit list or does not expose it.
    public var segments: [AssetTrackSegment]
    /// The metadata items of this track.
    public var metadata: [MetadataItem]
    /// A Boolean value that indicates whether the track's samples are encrypted. Encrypted samples
    /// cannot be decoded.
    package var isEncrypted = false
    /// The captions of the track; nil for a track of another kind.
    package var captions: CaptionService?

    package init(
        id: Int, mediaType: MediaType, formatDescription: FormatDescription,
        languageTag: String? = nil, title: String? = nil, isDefault: Bool = false,
        isEnabled: Bool = true, characteristics: Set<MediaCharacteristic> = [],
        isAttachedPicture: Bool = false, timeRange: MediaTimeRange = .invalid,
        timeUnit: MediaTime = MediaTime(value: 1, timescale: 1_000_000),
        nominalFrameRate: Double = 0, frameDuration: MediaTime = .invalid,
        minimumFrameDuration: MediaTime = .invalid, estimatedDataRate: Int = 0,
        sampleCount: Int = 0, segments: [AssetTrackSegment] = [], metadata: [MetadataItem] = []
    ) {
        self.id = id
        self.mediaType = mediaType
        self.formatDescription = formatDescription
        self.languageTag = languageTag
        self.title = title
        self.isDefault = isDefault
        self.isEnabled = isEnabled
        self.characteristics = characteristics.union(Self.characteristics(of: mediaType))
        self.isAttachedPicture = isAttachedPicture
        if isAttachedPicture { self.characteristics.insert(.attachedPicture) }
        self.timeRange = timeRange
        self.timeUnit = timeUnit
        self.nominalFrameRate = nominalFrameRate
        self.frameDuration = frameDuration
        self.minimumFrameDuration = minimumFrameDuration
        self.estimatedDataRate = estimatedDataRate
        self.sampleCount = sampleCount
        self.segments = segments
        self.metadata = metadata
    }

    private static func characteristics(of type: MediaType) -> Set<MediaCharacteristic> {
        switch type {
        case .video: [.visual]
        case .audio: [.audible]
        case .subtitle, .closedCaption: [.legible]
        case .timecode, .metadata, .data, .attachment: []
        }
    }

    /// The formats of the track's samples, of which the first one is `formatDescription`. QuickTime
    /// and MP4 files may have several. Samples of each are decoded if their codec is the same.
    ///
    /// - Corresponds to: `AVAssetTrack.formatDescriptions`.
    public var formatDescriptions: [FormatDescription] { [formatDescription] + furtherFormats }

    /// The size of the frames with square pixels, before rotation; zero for tracks without video.
    public var naturalSize: (width: Double, height: Double) {
        guard let video = formatDescription.video else { return (0, 0) }
        let ratio = video.attachments.pixelAspectRatio
        let width = Double(video.cleanAperture?.width ?? video.width)
        return (
            width * Double(ratio.horizontal) / Double(ratio.vertical),
            Double(video.cleanAperture?.height ?? video.height)
        )
    }

    /// The orientation that displays the frames upright. Each frame also carries its own
    /// orientation, because the orientation can change within a track.
    public var preferredTransform: PictureOrientation {
        formatDescription.video?.attachments.orientation ?? .up
    }
}

// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// One uniform stream of an asset: its pictures, one language of its sound, its subtitles.
///
/// - Corresponds to: `AVAssetTrack`, with the values already loaded.
public struct AssetTrack: Sendable, Hashable, Identifiable {
    /// Identifies the track within its asset: the index of the container's stream.
    public var id: Int
    /// Picture, sound or subtitles.
    public var mediaType: MediaType
    /// What its samples are: codec, size, colour, channels.
    public var formatDescription: FormatDescription
    /// BCP 47 or ISO 639 tag as the file gives it, such as `en` or `eng`; nil when it does not.
    public var languageTag: String?
    /// The track's own title.
    public var title: String?
    /// Whether the file marks it as one to play by default.
    public var isDefault: Bool
    /// Whether it plays unless something else is chosen: `false` where a QuickTime or MP4 file
    /// turns it off.
    public var isEnabled: Bool
    /// What it is for.
    public var characteristics: Set<MediaCharacteristic>
    /// Whether it is a single still picture that belongs to the whole, such as an album's cover.
    public var isAttachedPicture: Bool
    /// When, on the asset's timeline, the track has samples. `indefinite` or estimated where the
    /// container does not say.
    public var timeRange: MediaTimeRange
    /// Size of one unit of the stream's timestamps.
    package var timeUnit: MediaTime
    /// Mean frames a second, 0 when unknown or variable beyond telling.
    public var nominalFrameRate: Double
    /// Time from one frame to the next at the nominal rate; `invalid` when unknown.
    public var frameDuration: MediaTime
    /// The least time from one frame to the next: what a variable rate needs of a display;
    /// `invalid` when unknown.
    public var minimumFrameDuration: MediaTime
    /// Bits a second, 0 when unknown.
    public var estimatedDataRate: Int
    /// How many samples the container says that there are, 0 when it does not.
    package var sampleCount: Int
    /// The edit list, in order; empty where the container has none, or does not tell.
    public var segments: [AssetTrackSegment]
    /// What the file says of this track.
    public var metadata: [MetadataItem]
    /// A Boolean value that indicates whether its samples are encrypted, so that they cannot be
    /// decoded.
    package var isEncrypted = false

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
        case .subtitle: [.legible]
        case .data, .attachment: []
        }
    }

    /// Size of the pictures with square pixels, before they are turned; zero for other tracks.
    public var naturalSize: (width: Double, height: Double) {
        guard let video = formatDescription.video else { return (0, 0) }
        let ratio = video.attachments.pixelAspectRatio
        let width = Double(video.cleanAperture?.width ?? video.width)
        return (
            width * Double(ratio.horizontal) / Double(ratio.vertical),
            Double(video.cleanAperture?.height ?? video.height)
        )
    }

    /// How the pictures have to be turned and mirrored to stand upright. Every picture carries it
    /// too, since it can change.
    public var preferredTransform: PictureOrientation {
        formatDescription.video?.attachments.orientation ?? .up
    }
}

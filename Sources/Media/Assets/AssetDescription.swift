// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The properties of an asset that are read when it is opened and do not change.
public struct AssetDescription: Sendable, Hashable {
    /// FFmpeg's name of the container, such as `mov,mp4,m4a,3gp,3g2,mj2`.
    public var container: String
    /// The duration from the start of the timeline, which may be later than 0, to its end. It is
    /// `indefinite` for live streams, and if the container does not declare a duration.
    public var duration: MediaTime
    /// A Boolean value that indicates whether the duration is exact. If not, the duration is
    /// estimated, for example from the size of the file and its data rate.
    public var providesPreciseDurationAndTiming: Bool
    /// The start of the timeline; 0 for most files. A track may begin later, or a little earlier if
    /// its audio needs priming.
    public var startTime: MediaTime
    /// The offset that was subtracted from the container's timestamps so that the timeline begins
    /// near zero. For example, the first timestamp of a recorded broadcast can have any value. Add
    /// the offset to a time to get the file's own timestamp.
    package var timestampOffset: MediaTime
    /// The data rate of all tracks together, in bits per second; 0 if unknown.
    package var dataRate: Int
    /// The number of bytes missing at the end of the file, according to its header or index; 0 if
    /// no bytes are known to be missing. Bytes are missing if the file was cut off or is still
    /// arriving. The file plays up to the first missing byte.
    package var missingByteCount: Int64
    /// The tracks, in the file's order.
    public var tracks: [AssetTrack]
    /// The chapters, in the order of their times.
    public var chapters: [Chapter]
    /// The metadata, such as title and artist, in the file's order.
    public var metadata: [MetadataItem]
    /// A Boolean value that indicates whether the asset is a single image in a container that could
    /// also hold a video, such as AVIF, HEIC, or a GIF with one frame.
    package var holdsOneImage = false
    /// A Boolean value that indicates whether a container of images holds the frames of a video,
    /// one image after the other.
    package var holdsImageSeries = false
    /// The time at which playback begins unless the user chooses another one; nil for the start of
    /// the timeline.
    package var preferredStartTime: MediaTime?
    /// The dates of the timeline; empty if the asset states none, or is a live stream.
    package var dates = TimelineDates()

    package init(
        container: String, duration: MediaTime, startTime: MediaTime = .zero,
        timestampOffset: MediaTime = .zero, providesPreciseDurationAndTiming: Bool = true,
        dataRate: Int = 0, missingByteCount: Int64 = 0,
        tracks: [AssetTrack] = [],
        chapters: [Chapter] = [], metadata: [MetadataItem] = []
    ) {
        self.container = container
        self.duration = duration
        self.startTime = startTime
        self.timestampOffset = timestampOffset
        self.providesPreciseDurationAndTiming = providesPreciseDurationAndTiming
        self.dataRate = dataRate
        self.missingByteCount = missingByteCount
        self.tracks = tracks
        self.chapters = chapters
        self.metadata = metadata
    }

    /// The end of the timeline: `startTime` plus `duration`; `indefinite` if the duration is.
    public var end: MediaTime {
        duration.isNumeric && startTime.isNumeric ? startTime + duration : duration
    }

    /// A Boolean value that indicates whether the asset is only an image, such as a photograph.
    public var isStill: Bool {
        holdsOneImage || (Self.isStill(container: container) && !holdsImageSeries)
    }

    /// Returns whether a container, given by its name in FFmpeg, is an image format.
    package static func isStill(container: String) -> Bool {
        container.hasSuffix("_pipe") || container == "image2pipe"
    }

    /// Returns the tracks of one type, in the container's order.
    public func tracks(of mediaType: MediaType) -> [AssetTrack] {
        tracks.filter { $0.mediaType == mediaType }
    }

    /// Returns the tracks with a characteristic, in the container's order.
    public func tracks(withCharacteristic characteristic: MediaCharacteristic) -> [AssetTrack] {
        tracks.filter { $0.characteristics.contains(characteristic) }
    }

    /// The nominal frame rate of the video; 0 if there is no video or the rate is unknown.
    package var frameRate: Double { preferredTrack(of: .video)?.nominalFrameRate ?? 0 }

    /// The metadata items that have a common key, which all containers share.
    package var commonMetadata: [MetadataItem] { metadata.filter { $0.commonKey != nil } }

    /// The date of the recording.
    package var creationDate: MetadataItem? {
        metadata.first { $0.commonKey == .creationDate }
    }

    /// A Boolean value that indicates whether any track is encrypted.
    package var hasProtectedContent: Bool { tracks.contains { $0.isEncrypted } }

    /// The key spaces of the metadata.
    package var availableMetadataFormats: Set<MetadataKeySpace> { Set(metadata.map(\.keySpace)) }

    /// Returns the track of a type that plays unless the user selects another one: the default
    /// track or, if there is no default, the first. For an icon with several images, it is the
    /// largest image. A cover or a track of chapter images is returned only if there is no other
    /// video.
    public func preferredTrack(of mediaType: MediaType) -> AssetTrack? {
        let candidates = tracks(of: mediaType)
        let moving = candidates.filter {
            $0.characteristics.isDisjoint(with: [.attachedPicture, .timedThumbnails])
        }
        if container == "ico" { return moving.max { $0.pixelCount < $1.pixelCount } }
        return moving.first { $0.isDefault } ?? moving.first ?? candidates.first
    }
}

extension AssetTrack {
    fileprivate var pixelCount: Int {
        formatDescription.video.map { $0.width * $0.height } ?? 0
    }
}

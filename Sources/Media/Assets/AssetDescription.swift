// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The static facts of an asset, as read when it is opened.
public struct AssetDescription: Sendable, Hashable {
    /// FFmpeg's name of the container, such as `mov,mp4,m4a,3gp,3g2,mj2`.
    public var container: String
    /// The duration from the start of the timeline, which may be later than 0, to its end;
    /// `indefinite` for live streams and if the container does not declare one.
    public var duration: MediaTime
    /// A Boolean value that indicates whether the duration is exact. If not, it is estimated, for
    /// instance from the size of the file and its data rate.
    public var providesPreciseDurationAndTiming: Bool
    /// The start of the timeline. 0 for most files; a track may begin later, or a little earlier if
    /// its audio has to be primed.
    public var startTime: MediaTime
    /// The offset that was subtracted from the container's timestamps to begin the timeline near
    /// zero: streams cut from a broadcast begin at any time. Add it to get the file's own
    /// timestamps.
    package var timestampOffset: MediaTime
    /// Bits a second over all tracks, 0 when unknown.
    package var dataRate: Int
    /// The number of bytes missing at the end of the file, according to its header or its index: it
    /// was cut off, or is still arriving. The file plays as far as it goes. 0 if no bytes are known
    /// to be missing.
    package var missingByteCount: Int64
    /// In the file's order.
    public var tracks: [AssetTrack]
    /// By their times.
    public var chapters: [Chapter]
    /// Title, artist and the like, in the file's order.
    public var metadata: [MetadataItem]
    /// A Boolean value that indicates whether a container that may hold a video holds one image, as
    /// AVIF, HEIC and a GIF of one frame do.
    package var holdsOneImage = false

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

    /// The end of the timeline: `duration` after `startTime`; `indefinite` if `duration` is.
    public var end: MediaTime {
        duration.isNumeric && startTime.isNumeric ? startTime + duration : duration
    }

    /// A Boolean value that indicates whether the asset is an image and nothing else: a photograph.
    public var isStill: Bool { holdsOneImage || Self.isStill(container: container) }

    /// Returns whether a container is an image, by its name in FFmpeg.
    package static func isStill(container: String) -> Bool {
        container.hasSuffix("_pipe") || container == "image2pipe"
    }

    /// The tracks of one type, in the container's order.
    public func tracks(of mediaType: MediaType) -> [AssetTrack] {
        tracks.filter { $0.mediaType == mediaType }
    }

    /// Returns the tracks with a characteristic, in the container's order.
    public func tracks(withCharacteristic characteristic: MediaCharacteristic) -> [AssetTrack] {
        tracks.filter { $0.characteristics.contains(characteristic) }
    }

    /// The nominal frame rate of the video; 0 without a video or if it is unknown.
    package var frameRate: Double { preferredTrack(of: .video)?.nominalFrameRate ?? 0 }

    /// The metadata items whose keys all containers share.
    public var commonMetadata: [MetadataItem] { metadata.filter { $0.commonKey != nil } }

    /// The key spaces of the metadata.
    public var availableMetadataFormats: Set<MetadataKeySpace> { Set(metadata.map(\.keySpace)) }

    /// Returns the track of a type that plays unless another is selected: the default one,
    /// otherwise the first. Of the images in an icon, it is the largest. A cover or a track of
    /// chapter images is only returned if there is no other video.
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

// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A property of an asset that can be loaded, and the type of its value.
///
/// - Corresponds to: `AVAsyncProperty`.
public struct AssetProperty<Value: Sendable>: Sendable {
    let read: @Sendable (AssetDescription) -> Value
}

extension AssetProperty where Value == MediaTime {
    /// The duration from the start of the timeline to its end.
    public static var duration: Self { Self { $0.duration } }
}

extension AssetProperty where Value == [AssetTrack] {
    /// The tracks. Corresponds to `AVPartialAsyncProperty.tracks`.
    public static var tracks: Self { Self { $0.tracks } }

    /// The tracks of one type.
    ///
    /// - Corresponds to: `loadTracks(withMediaType:)`.
    public static func tracks(of type: MediaType) -> Self { Self { $0.tracks(of: type) } }

    /// The tracks with a characteristic.
    ///
    /// - Corresponds to: `loadTracks(withMediaCharacteristic:)`.
    public static func tracks(withCharacteristic characteristic: MediaCharacteristic) -> Self {
        Self { $0.tracks(withCharacteristic: characteristic) }
    }
}

extension AssetProperty where Value == AssetTrack? {
    /// The track with an identifier; nil if the asset has none.
    ///
    /// - Corresponds to: `loadTrack(withTrackID:)`.
    public static func track(withTrackID id: Int) -> Self {
        Self { $0.tracks.first { $0.id == id } }
    }
}

extension AssetProperty where Value == MetadataItem? {
    /// The date of the recording; nil if the file states none. The `dateValue` of the item is the
    /// date.
    ///
    /// - Corresponds to: `AVAsset.creationDate`.
    public static var creationDate: Self {
        Self { $0.creationDate }
    }
}

extension AssetProperty where Value == [Chapter] {
    /// The chapters, in order.
    public static var chapters: Self { Self { $0.chapters } }
}

extension AssetProperty where Value == [MetadataItem] {
    /// The metadata items. Corresponds to `AVPartialAsyncProperty.metadata`.
    public static var metadata: Self { Self { $0.metadata } }
    /// The metadata items that have a common key, which all containers share.
    public static var commonMetadata: Self { Self { $0.commonMetadata } }

    /// The metadata items of one key space.
    ///
    /// - Corresponds to: `loadMetadata(for:)`.
    public static func metadata(for keySpace: MetadataKeySpace) -> Self {
        Self { $0.metadata.filtered(by: keySpace) }
    }
}

extension AssetProperty where Value == Set<MetadataKeySpace> {
    /// The key spaces of the metadata. Corresponds to
    /// `AVPartialAsyncProperty.availableMetadataFormats`.
    public static var availableMetadataFormats: Self { Self { $0.availableMetadataFormats } }
}

extension AssetProperty where Value == MediaSelectionGroup? {
    /// The selectable tracks of a kind: `audible`, `legible` or `visual`.
    ///
    /// - Corresponds to: `loadMediaSelectionGroup(for:)`.
    public static func mediaSelectionGroup(for characteristic: MediaCharacteristic) -> Self {
        Self { $0.mediaSelectionGroup(for: characteristic) }
    }
}

extension AssetProperty where Value == Bool {
    /// A Boolean value that indicates whether the duration is exact rather than estimated.
    public static var providesPreciseDurationAndTiming: Self {
        Self { $0.providesPreciseDurationAndTiming }
    }

    /// A Boolean value that indicates whether any track is encrypted, and cannot be decoded.
    ///
    /// - Corresponds to: `AVAsset.hasProtectedContent`.
    public static var hasProtectedContent: Self { Self { $0.hasProtectedContent } }

    /// A Boolean value that indicates whether the asset has any video or audio.
    public static var isPlayable: Self {
        Self { $0.tracks.contains { $0.mediaType == .video || $0.mediaType == .audio } }
    }
}

extension AssetProperty where Value == AssetDescription {
    /// All properties, as one value.
    public static var description: Self { Self { $0 } }
}

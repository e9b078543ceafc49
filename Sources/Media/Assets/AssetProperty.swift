// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A property of an asset that can be loaded, and the type of its value.
///
/// - Corresponds to: `AVAsyncProperty`.
public struct AssetProperty<Value: Sendable>: Sendable {
    let read: @Sendable (AssetDescription) -> Value
}

extension AssetProperty where Value == MediaTime {
    /// From the start of the timeline to its end.
    public static var duration: Self { Self { $0.duration } }
}

extension AssetProperty where Value == [AssetTrack] {
    public static var tracks: Self { Self { $0.tracks } }
}

extension AssetProperty where Value == [Chapter] {
    public static var chapters: Self { Self { $0.chapters } }
}

extension AssetProperty where Value == [MetadataItem] {
    public static var metadata: Self { Self { $0.metadata } }
}

extension AssetProperty where Value == Bool {
    /// Whether there is anything to see or hear in it.
    public static var isPlayable: Self {
        Self { $0.tracks.contains { $0.mediaType == .video || $0.mediaType == .audio } }
    }
}

extension AssetProperty where Value == AssetDescription {
    /// Everything at once.
    public static var description: Self { Self { $0 } }
}

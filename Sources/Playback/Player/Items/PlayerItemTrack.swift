// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads

/// A track of an item, which can be enabled and disabled.
///
/// One video track plays, and any number of audio tracks: by default, the selected one. Their
/// samples are added in a fixed order: the selected track, then the others by their identifiers.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVPlayerItemTrack`.
public struct PlayerItemTrack: Sendable {
    /// The track of the asset. Corresponds to `AVPlayerItemTrack.assetTrack`.
    public let assetTrack: AssetTrack
    let pipeline: ItemPipeline

    /// A Boolean value that indicates whether the track plays. It may be changed at any time, also
    /// during playback.
    ///
    /// With the video track disabled, outputs have no frames; a disabled audio track is silent. The
    /// timeline and decoding continue, so that enabling takes effect at once. An audio track that
    /// is enabled for the first time joins the others as soon as it is read, which goes on without
    /// a gap; to replace one by another, use `PlayerItem.select(_:in:)`. A track that cannot be
    /// decoded, and a second video track, stay disabled.
    public var isEnabled: Bool {
        get { pipeline.control.withLock { $0.transport.tracks.enabled.contains(assetTrack.id) } }
        nonmutating set {
            switch assetTrack.mediaType {
            case .video: pipeline.setVideoEnabled(newValue, track: assetTrack.id)
            case .audio: pipeline.setAudioEnabled(newValue, track: assetTrack)
            default: break
            }
        }
    }

    /// Plays the track alone among those of its kind, or stops playing it.
    package func select(_ isSelected: Bool) {
        if assetTrack.mediaType != .audio {
            isEnabled = isSelected
        } else if isSelected {
            pipeline.chooseAudio(assetTrack.id)
        } else if isEnabled {
            pipeline.chooseAudio(nil)
        }
    }

    /// The last error in decoding the track; the other tracks play on. Nil without an error.
    package var error: MediaError? { pipeline.control.withLock { $0.trackErrors[assetTrack.id] } }
}

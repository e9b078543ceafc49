// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads

/// A track of an item, which can be enabled and disabled.
///
/// Any number of tracks can play. By default, only the selected video track and the selected audio
/// track play. An output shows the first video track that is enabled. The samples of audio tracks
/// are added in a fixed order: those of the selected track, then those of the other tracks in the
/// order of their identifiers.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVPlayerItemTrack`.
public struct PlayerItemTrack: Sendable {
    /// The track of the asset. Corresponds to `AVPlayerItemTrack.assetTrack`.
    public let assetTrack: AssetTrack
    let pipeline: ItemPipeline

    /// A Boolean value that indicates whether the track plays. It can be changed at any time, also
    /// during playback.
    ///
    /// A disabled video track has no frames for outputs. A disabled audio track is silent. The
    /// timeline and decoding continue, so that enabling a track has an immediate effect. A track
    /// that is enabled for the first time joins the others as soon as it has been read, and reading
    /// continues without a gap. To replace an audio track by another one, use
    /// `PlayerItem.select(_:in:)`. A track that cannot be decoded stays disabled, and so does each
    /// video track beyond the first 33.
    public var isEnabled: Bool {
        get { pipeline.control.withLock { $0.transport.tracks.enabled.contains(assetTrack.id) } }
        nonmutating set {
            switch assetTrack.mediaType {
            case .video: pipeline.setVideoEnabled(newValue, track: assetTrack)
            case .audio: pipeline.setAudioEnabled(newValue, track: assetTrack)
            default: break
            }
        }
    }

    /// Plays this track and no other track of its kind, or stops playing it.
    package func select(_ isSelected: Bool) {
        if assetTrack.mediaType != .audio {
            isEnabled = isSelected
        } else if isSelected {
            pipeline.chooseAudio(assetTrack.id)
        } else if isEnabled {
            pipeline.chooseAudio(nil)
        }
    }

    /// The last error in decoding the track; nil if there was no error. The other tracks continue
    /// to play.
    package var error: MediaError? { pipeline.control.withLock { $0.trackErrors[assetTrack.id] } }
}

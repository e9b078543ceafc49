// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads

/// A track of an item, which can be enabled and disabled.
///
/// One video track plays, and one audio track at a time.
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
    /// With the video track disabled, outputs have no frames; with the audio track disabled there
    /// is silence. The timeline and decoding continue, so that enabling takes effect at once.
    /// Enabling another audio track replaces the one that played: its audio begins at the
    /// playhead's position by then, and the frame may freeze for a moment. A track that cannot be
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
}

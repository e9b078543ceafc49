// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadAudio
import PlayheadThreads
import Synchronization

extension PlayerItem {
    /// The mix of the item's audio, including its taps. With nil, the default, the audio is
    /// unchanged.
    ///
    /// It can be set at any time, also during playback, without clicks. Taps that remain in the mix
    /// continue.
    ///
    /// - Corresponds to: `AVPlayerItem.audioMix`.
    public var audioMix: AudioMix? {
        get { pipeline.control.withLock { $0.audioMix } }
        set { pipeline.setAudioMix(newValue) }
    }
}

extension ItemPipeline {
    func setAudioMix(_ mix: AudioMix?) {
        control.withLock { $0.audioMix = mix }
        applyAudioMix()
    }

    /// Passes the mix's parameters for each track to the track's renderer. Taps are prepared in
    /// this call, so the lock of `control` is not held during it.
    func applyAudioMix() {
        mixing.withLock { _ in
            let (mix, renderer, track, feeds) = control.withLock { control in
                (control.audioMix, control.renderer, control.audioTrack?.id, control.further.feeds)
            }
            renderer?.inputParameters = track.flatMap { mix?.parameters(forTrack: $0) }
            for feed in feeds {
                feed.renderer.inputParameters = mix?.parameters(forTrack: feed.track.id)
            }
        }
    }
}

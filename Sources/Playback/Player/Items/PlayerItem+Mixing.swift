// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadAudio
import PlayheadThreads
import Synchronization

extension PlayerItem {
    /// How the item's sound is mixed, and what processes it on the way; nil, at first, for as it is.
    ///
    /// May be set at any time, also while the item plays: what changes does so without a click. Taps
    /// that stay in it go on.
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

    /// Gives the renderer what the mix holds for the track that plays. Taps are prepared within, so
    /// the lock of `control` is not held meanwhile.
    func applyAudioMix() {
        mixing.withLock { _ in
            let (renderer, parameters) = control.withLock { control in
                let track = control.audioTrack?.id
                return (
                    control.renderer, track.flatMap { control.audioMix?.parameters(forTrack: $0) }
                )
            }
            renderer?.inputParameters = parameters
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets
public import PlayheadPlayback
import PlayheadPulse

extension Player {
    /// A player of the film at a URL, with sound where there is a sound server, which nobody waits for.
    ///
    /// - Corresponds to: `AVPlayer(url:)`.
    public convenience init(url: URL) {
        self.init(asset: URLAsset(url: url))
    }

    /// A player of an asset, with sound where there is a sound server, which nobody waits for. Without one
    /// the film plays in silence (`audioError` says why), until there is.
    public convenience init(asset: Asset) {
        var options = PulseAudioSink.Options()
        options.title = asset.displayName
        self.init(
            playerItem: PlayerItem(asset: asset),
            audioSink: PulseAudioSink(connectingInBackground: options))
    }
}

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
        self.init(playerItem: PlayerItem(asset: asset))
    }

    /// A player of an item, or of none yet, with sound as `init(asset:)` has it.
    ///
    /// - Corresponds to: `AVPlayer(playerItem:)`.
    public convenience init(playerItem: PlayerItem? = nil) {
        self.init(
            playerItem: playerItem, audioSink: PulseAudioSink(title: playerItem?.asset.displayName))
    }
}

extension QueuePlayer {
    /// A queue of items, with sound where there is a sound server, which nobody waits for.
    ///
    /// - Parameter items: see `init(items:audioSink:masterClock:)`.
    /// - Corresponds to: `AVQueuePlayer(items:)`.
    public convenience init(items: [PlayerItem] = []) {
        self.init(
            items: items, audioSink: PulseAudioSink(title: items.first?.asset.displayName))
    }
}

extension PlayerItem {
    /// An item of the film at a URL, read by FFmpeg. Does no work and cannot fail.
    ///
    /// - Corresponds to: `AVPlayerItem(url:)`.
    public convenience init(url: URL) {
        self.init(asset: URLAsset(url: url))
    }
}

extension PulseAudioSink {
    /// A sink that looks for the server in the background.
    ///
    /// - Parameter title: the film's; nil for none in particular.
    fileprivate convenience init(title: String?) {
        var options = Options()
        if let title { options.title = title }
        self.init(connectingInBackground: options)
    }
}

// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets
public import PlayheadPlayback
import PlayheadPulse

extension Player {
    /// Creates a player for a URL, with audio through PulseAudio if there is a server. Does not
    /// wait for the server.
    ///
    /// - Corresponds to: `AVPlayer(url:)`.
    public convenience init(url: URL) {
        self.init(asset: URLAsset(url: url))
    }

    /// Creates a player for an asset, with audio through PulseAudio if there is a server. Does not
    /// wait for the server. Until there is a server, the video plays silently and `audioError`
    /// states the reason.
    public convenience init(asset: Asset) {
        self.init(playerItem: PlayerItem(asset: asset))
    }

    /// Creates a player for an item, or without an item. Audio is as in `init(asset:)`.
    ///
    /// - Corresponds to: `AVPlayer(playerItem:)`.
    public convenience init(playerItem: PlayerItem? = nil) {
        self.init(
            playerItem: playerItem, audioSink: PulseAudioSink(title: playerItem?.asset.displayName))
    }
}

extension QueuePlayer {
    /// Creates a queue of items, with audio through PulseAudio if there is a server. Does not wait
    /// for the server.
    ///
    /// - Parameter items: The items; see `init(items:audioSink:masterClock:)`.
    /// - Corresponds to: `AVQueuePlayer(items:)`.
    public convenience init(items: [PlayerItem] = []) {
        self.init(
            items: items, audioSink: PulseAudioSink(title: items.first?.asset.displayName))
    }
}

extension PlayerItem {
    /// Creates an item for a URL that FFmpeg reads. This does no work and cannot fail.
    ///
    /// - Corresponds to: `AVPlayerItem(url:)`.
    public convenience init(url: URL) {
        self.init(asset: URLAsset(url: url))
    }
}

extension PulseAudioSink {
    /// Creates a sink that searches for the server in the background.
    ///
    /// - Parameter title: The name of the stream; nil for the default.
    fileprivate convenience init(title: String?) {
        var options = PulseAudioOptions()
        if let title { options.title = title }
        self.init(connectingInBackground: options)
    }
}

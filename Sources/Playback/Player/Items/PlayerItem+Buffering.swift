// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadThreads
public import PlayheadTime

/// How what is to be played comes in.
extension PlayerItem {
    /// What has been read from the asset, of all tracks that play, and lies ahead of the playhead: what
    /// plays even if nothing more comes. Empty backwards, where groups of pictures are read as they are
    /// needed. Observers are told of it with every quarter of a second of media.
    ///
    /// - Corresponds to: `AVPlayerItem.loadedTimeRanges`.
    public var loadedTimeRanges: [MediaTimeRange] {
        observable.access(self, \.loadedTimeRanges)
        guard let range = pipeline.observers.state.loadedTimeRanges.first else { return [] }
        let now = currentTime
        guard now < range.end else { return [] }
        return [MediaTimeRange(start: max(now, range.start), end: range.end)]
    }

    /// Whether playback is likely to go on to the end, or for long, without stopping for what has not
    /// come: by how much is loaded, how fast more comes in, and how much there is to come.
    ///
    /// - Corresponds to: `AVPlayerItem.isPlaybackLikelyToKeepUp`.
    public var isPlaybackLikelyToKeepUp: Bool {
        observable.access(self, \.isPlaybackLikelyToKeepUp)
        return pipeline.observers.state.isPlaybackLikelyToKeepUp
    }

    /// Whether all that was loaded has been played: playback stands, or is at the end.
    ///
    /// - Corresponds to: `AVPlayerItem.isPlaybackBufferEmpty`.
    public var isPlaybackBufferEmpty: Bool {
        observable.access(self, \.isPlaybackBufferEmpty)
        return pipeline.observers.state.isPlaybackBufferEmpty
    }

    /// Whether no more is read before some of it has been played.
    ///
    /// - Corresponds to: `AVPlayerItem.isPlaybackBufferFull`.
    public var isPlaybackBufferFull: Bool {
        observable.access(self, \.isPlaybackBufferFull)
        return pipeline.observers.state.isPlaybackBufferFull
    }

    /// How far ahead of the playhead is read, as long as `MediaLimits.queuedBytes` allow it; zero, at
    /// first, leaves it to the player: half a minute over a network, and two seconds of files.
    ///
    /// - Corresponds to: `AVPlayerItem.preferredForwardBufferDuration`.
    public var preferredForwardBufferDuration: MediaTime {
        get { pipeline.control.withLock { $0.buffering.preferredDuration } }
        set { pipeline.setPreferredDuration(newValue.isNumeric ? max(newValue, .zero) : .zero) }
    }

    /// How the asset's bytes have come in so far; nil where nothing is transferred, and until the asset
    /// is open.
    ///
    /// - Corresponds to: `AVPlayerItem.accessLog()`.
    package var transferStatistics: TransferMonitor.Statistics? {
        pipeline.control.withLock { $0.buffering.transfer }?.statistics
    }
}

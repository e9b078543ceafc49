// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadThreads
public import PlayheadTime

/// The buffering of an item.
extension PlayerItem {
    /// The ranges that have been read from the asset for all tracks that play, ahead of the
    /// playhead. They can be played even if no more data arrives. Observers are notified after
    /// every quarter of a second of media.
    ///
    /// There is at most one range, because a seek discards media that was read elsewhere; a server
    /// is then asked for that media again. Reverse playback has no such range: groups of pictures
    /// are read as needed.
    ///
    /// - Corresponds to: `AVPlayerItem.loadedTimeRanges`.
    public var loadedTimeRanges: [MediaTimeRange] {
        observable.access(self, \.loadedTimeRanges)
        guard let range = observers.state.loadedTimeRanges.first else { return [] }
        let now = currentTime
        guard now < range.end else { return [] }
        return [MediaTimeRange(start: max(now, range.start), end: range.end)]
    }

    /// A Boolean value that indicates whether playback is likely to reach the end, or to continue
    /// for a long time, without a stall. The loaded duration, the transfer rate and the remaining
    /// duration determine it.
    ///
    /// - Corresponds to: `AVPlayerItem.isPlaybackLikelyToKeepUp`.
    public var isPlaybackLikelyToKeepUp: Bool {
        observable.access(self, \.isPlaybackLikelyToKeepUp)
        return observers.state.isPlaybackLikelyToKeepUp
    }

    /// A Boolean value that indicates whether all loaded media has been played. If so, playback
    /// stalls or is at the end.
    ///
    /// - Corresponds to: `AVPlayerItem.isPlaybackBufferEmpty`.
    public var isPlaybackBufferEmpty: Bool {
        observable.access(self, \.isPlaybackBufferEmpty)
        return observers.state.isPlaybackBufferEmpty
    }

    /// A Boolean value that indicates whether reading is paused until some media has been played.
    ///
    /// - Corresponds to: `AVPlayerItem.isPlaybackBufferFull`.
    public var isPlaybackBufferFull: Bool {
        observable.access(self, \.isPlaybackBufferFull)
        return observers.state.isPlaybackBufferFull
    }

    /// The duration to read ahead of the playhead, limited by `MediaLimits.queuedBytes`. With zero,
    /// the default, the player chooses it: half a minute over a network, and two seconds for files.
    ///
    /// - Corresponds to: `AVPlayerItem.preferredForwardBufferDuration`.
    public var preferredForwardBufferDuration: MediaTime {
        get { pipeline.control.withLock { $0.buffering.preferredDuration } }
        set {
            pipeline.post(
                .setPreferredDuration(newValue.isNumeric ? max(newValue, .zero) : .zero))
        }
    }

    /// The statistics of the asset's transfer; nil if no data is transferred, or while the asset is
    /// not open.
    ///
    /// - Corresponds to: `AVPlayerItem.accessLog()`.
    package var transferStatistics: TransferMonitor.Statistics? {
        pipeline.control.withLock { $0.transfer }?.statistics
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
public import PlayheadTime

/// Live streams.
///
/// `seekableTimeRanges` is the window of a live HLS or DASH stream: it begins with the oldest
/// segment that the playlist or MPD lists and ends at the live edge. It moves with the playlist,
/// also during a pause.
extension PlayerItem {
    /// The distance from the live edge at which a live stream begins to play, and to which a seek
    /// to `positiveInfinity` moves. With `invalid`, the default, `recommendedTimeOffsetFromLive`
    /// applies. A longer distance makes stalls less likely.
    ///
    /// A change does not move the playhead. If the distance is set before the item is ready, it has
    /// priority over the start that a playlist states (`EXT-X-START`).
    ///
    /// Network cameras and streams that arrive as they are made (UDP, RTP, SRT, RTSP) are shown at
    /// this distance after their arrival. With zero, the newest frame is shown as soon as it is
    /// decoded, and audio may have gaps. A longer distance evens out a network whose delays vary.
    /// The distance is kept, and reached again after a change, by rates between 0.95 and 1.05.
    ///
    /// - Concurrency: any thread.
    /// - Corresponds to: `AVPlayerItem.configuredTimeOffsetFromLive`.
    public var configuredTimeOffsetFromLive: MediaTime {
        get { pipeline.control.withLock { $0.transport.live.configuredOffset } }
        set { pipeline.post(.setLiveOffset(newValue.isNumeric ? newValue : .invalid)) }
    }

    /// The distance from the live edge that the server recommends (`HOLD-BACK`) or, without a
    /// recommendation, three target durations of the playlist; `invalid` if the item is not a live
    /// stream. For a source that is shown as it arrives, it is the delay after the arrival.
    ///
    /// - Concurrency: any thread.
    /// - Corresponds to: `AVPlayerItem.recommendedTimeOffsetFromLive`.
    public var recommendedTimeOffsetFromLive: MediaTime {
        pipeline.control.withLock { control in
            control.arrivalMonitor?.delay ?? control.transport.live.window?.recommendedOffset
                ?? .invalid
        }
    }

    /// A Boolean value that indicates whether the distance from the live edge is restored after a
    /// stall. If so, the playhead jumps ahead by the duration of the stall. In a low-latency
    /// stream, smaller distances are made up by playback that is 5 % faster. The default is false:
    /// playback continues where it stalled.
    ///
    /// - Concurrency: any thread.
    /// - Corresponds to: `AVPlayerItem.automaticallyPreservesTimeOffsetFromLive`.
    public var automaticallyPreservesTimeOffsetFromLive: Bool {
        get { pipeline.control.withLock { $0.transport.live.preservesOffset } }
        set { pipeline.post(.setPreservesLiveOffset(newValue)) }
    }

    /// The time to which a seek to `positiveInfinity` moves; nil if the item is not a live stream,
    /// or if the stream has ended.
    package var livePosition: MediaTime? {
        pipeline.control.withLock { $0.transport.live.position }
    }

    /// The distance of the playhead behind `livePosition`; nil if there is no live edge. A distance
    /// that is within the variation caused by the segments of a stream counts as zero.
    package var timeBehindLive: MediaTime? {
        let live = pipeline.control.withLock { $0.transport.live }
        guard let position = live.position else { return nil }
        let distance = position - currentTime
        let variation = live.offset * 0.75
        return distance > variation && distance > .zero ? distance : .zero
    }

    /// A Boolean value that indicates whether the window of a live stream has left the playhead
    /// behind, so that playback will continue at the beginning of the window.
    package var isBehindWindow: Bool {
        let time = currentTime
        return pipeline.control.withLock { $0.transport.live.returnTarget(from: time) != nil }
    }

    /// The range of a scrubber: the window of a live stream, or the time from zero to the end of
    /// other media; nil while the end is not known.
    package var scrubbingRange: MediaTimeRange? {
        if let window = pipeline.control.withLock({ $0.transport.live.window }), !window.hasEnded {
            return window.range.duration > .zero ? window.range : nil
        }
        let end = end
        return end.isNumeric && end > .zero ? MediaTimeRange(start: .zero, end: end) : nil
    }
}

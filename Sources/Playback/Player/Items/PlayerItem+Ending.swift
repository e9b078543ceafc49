// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
public import PlayheadTime

extension PlayerItem {
    /// The time at which forward playback ends. With a time that is not numeric, which is the
    /// default, playback ends at the end of the item.
    ///
    /// The end is exact: no frame that begins at this time or later is shown, and no sample from
    /// this time or later is heard. The end can be changed at any time, also during playback. If
    /// the playhead is already past the end, because of a seek or because the end was set, playback
    /// ends immediately at the playhead. While paused, later times can be shown.
    ///
    /// - Corresponds to: `AVPlayerItem.forwardPlaybackEndTime`.
    public var forwardPlaybackEndTime: MediaTime {
        get { pipeline.control.withLock { $0.ending.forward } }
        set {
            pipeline.post(.setEnds(forward: newValue.isNumeric ? newValue : .invalid, reverse: nil))
        }
    }

    /// The time at which reverse playback ends. With a time that is not numeric, which is the
    /// default, playback ends at the beginning of the item.
    ///
    /// - Corresponds to: `AVPlayerItem.reversePlaybackEndTime`.
    public var reversePlaybackEndTime: MediaTime {
        get { pipeline.control.withLock { $0.ending.reverse } }
        set {
            pipeline.post(.setEnds(forward: nil, reverse: newValue.isNumeric ? newValue : .invalid))
        }
    }
}

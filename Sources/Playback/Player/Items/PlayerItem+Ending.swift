// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
public import PlayheadTime

extension PlayerItem {
    /// The time at which forward playback ends; one that is not numeric, the default, for the
    /// item's own end.
    ///
    /// It is exact: no frame that begins at it or later is shown, and no such sample is heard. It
    /// may be changed at any time, also during playback. If the playhead has already passed the
    /// end, because of a seek or because the end was set, playback ends at once where the playhead
    /// is. While paused, later times can be shown.
    ///
    /// - Corresponds to: `AVPlayerItem.forwardPlaybackEndTime`.
    public var forwardPlaybackEndTime: MediaTime {
        get { pipeline.control.withLock { $0.ending.forward } }
        set {
            pipeline.post(.setEnds(forward: newValue.isNumeric ? newValue : .invalid, reverse: nil))
        }
    }

    /// The time at which backward playback ends; one that is not numeric, the default, for the
    /// item's beginning.
    ///
    /// - Corresponds to: `AVPlayerItem.reversePlaybackEndTime`.
    public var reversePlaybackEndTime: MediaTime {
        get { pipeline.control.withLock { $0.ending.reverse } }
        set {
            pipeline.post(.setEnds(forward: nil, reverse: newValue.isNumeric ? newValue : .invalid))
        }
    }
}

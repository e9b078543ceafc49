// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
public import PlayheadTime

extension PlayerItem {
    /// The time at which playback ends before the item does; one that is no number, as at first,
    /// for the item's own end.
    ///
    /// Exact: no picture that begins at it or later is shown, and no sample heard. May be changed at
    /// any time, while playing too. An end that the playhead has passed already, by a seek or by
    /// setting it, ends playback at once where the playhead is; while paused, one may look at what
    /// lies beyond.
    ///
    /// - Corresponds to: `AVPlayerItem.forwardPlaybackEndTime`.
    public var forwardPlaybackEndTime: MediaTime {
        get { pipeline.control.withLock { $0.ending.forward } }
        set { pipeline.setEnds(forward: newValue.isNumeric ? newValue : .invalid) }
    }

    /// The time at which playback backwards ends before it gets to the item's beginning; one that
    /// is no number, as at first, for the beginning.
    ///
    /// - Corresponds to: `AVPlayerItem.reversePlaybackEndTime`.
    public var reversePlaybackEndTime: MediaTime {
        get { pipeline.control.withLock { $0.ending.reverse } }
        set { pipeline.setEnds(reverse: newValue.isNumeric ? newValue : .invalid) }
    }
}

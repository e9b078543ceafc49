// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
package import PlayheadTime

/// A loop within an item, which seeks back at the end of the range. `PlayerLooper` loops without a
/// gap.
extension PlayerItem {
    /// Repeats a range. When playback reaches the end of the range, it continues at the start; in
    /// reverse, it continues at the end when it reaches the start. After the last repetition,
    /// playback continues past the range. `forwardPlaybackEndTime` and `reversePlaybackEndTime`
    /// also apply. The loop takes precedence over the action at the end.
    ///
    /// - Parameters:
    ///   - start: The start of the range.
    ///   - end: The end of the range; `invalid` for the end of the item.
    ///   - count: The number of repetitions; −1 for an endless loop, 0 for none.
    package func setLoop(from start: MediaTime, to end: MediaTime, count: Int) {
        pipeline.post(.setLoop(from: start, to: end, count: count))
    }

    /// The progress of the loop.
    package var loopProgress: LoopProgress {
        pipeline.control.withLock { $0.transport.loop.progress }
    }

    /// Returns the time at which playback begins in a direction. If repetitions are left, this is
    /// the time at which a repetition begins.
    package func firstTime(inReverse: Bool) -> MediaTime {
        pipeline.control.withLock { $0.transport.firstTime(inReverse: inReverse) }
    }
}

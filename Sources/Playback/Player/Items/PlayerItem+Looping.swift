// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
package import PlayheadTime

/// A loop within an item, by seeking back at its end. `PlayerLooper` loops without a gap.
extension PlayerItem {
    /// Repeats a range. When playback reaches its end, it continues at its start, and in reverse
    /// the other way round; after the last repetition it continues past the range. The ends of
    /// playback that are set apply as well, and the loop precedes the action at the end.
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

    /// Returns the time at which playback begins in a direction: that of a round, if repetitions
    /// are left.
    package func firstTime(inReverse: Bool) -> MediaTime {
        pipeline.control.withLock { $0.transport.firstTime(inReverse: inReverse) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
import PlayheadTime
import Synchronization

extension HostedPlayer {
    /// A loop that the host has set, for the open media and for media that is opened later. The
    /// item performs the loop.
    struct Loop {
        /// The minimum duration of an iteration, in nanoseconds.
        static let shortest: Int64 = 1_000_000

        /// The number of iterations left; −1 for an endless loop.
        var left = 0
        var start = MediaTime.zero
        /// The end of the loop; `invalid` for the end of the item.
        var end = MediaTime.invalid

        /// Returns whether the loop overlaps the item, as far as the end of the item is known.
        func fits(_ item: PlayerItem) -> Bool {
            guard let film = item.seekableTimeRanges.first else { return true }
            return start < film.end && (!end.isNumeric || end > film.start)
        }
    }

    /// The number of iterations that are left; −1 for an endless loop.
    var iterationsLeft: Int {
        let (item, loop) = control.withLock { ($0.film?.item, $0.loop) }
        return item?.loopProgress.left ?? loop.left
    }

    /// Stores the number of iterations that the open media has left, for the media that is opened
    /// next. `commands` must be locked.
    func keepIterations() {
        let left = iterationsLeft
        control.withLock { $0.loop.left = left }
    }
}

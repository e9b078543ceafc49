// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime

/// Dates of streams, in seconds since 1970.
extension PlayerItem {
    /// The date at the playhead; nil if the media at the playhead has none.
    package var secondsSince1970: Double? { dates.date(at: currentTime) }

    /// Seeks near a date as fast as possible.
    ///
    /// - Returns: A Boolean value that indicates whether the media has this date.
    package func seek(
        toSecondsSince1970 date: Double, completion: (@Sendable (Bool) -> Void)?
    ) -> Bool {
        guard let time = dates.time(of: date) else {
            completion?(false)
            return false
        }
        seek(to: time, completion: completion)
        return true
    }

    private var dates: TimelineDates {
        pipeline.control.withLock { control in
            let live = control.liveMonitor?.dates ?? TimelineDates()
            return live.isEmpty ? control.description?.dates ?? live : live
        }
    }
}

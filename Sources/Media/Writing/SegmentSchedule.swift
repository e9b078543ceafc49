// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The times at which segments begin: the first frame at or after each multiple of an interval.
///
/// The encoder makes a keyframe there, and the writer ends a segment.
struct SegmentSchedule {
    private let interval: MediaTime
    private var next: MediaTime

    init(interval: MediaTime) {
        self.interval = interval
        next = interval
    }

    /// Returns whether a frame at a time, from the start of the session, begins another segment.
    mutating func begins(at time: MediaTime) -> Bool {
        guard time >= next else { return false }
        while next <= time { next = next + interval }
        return true
    }
}

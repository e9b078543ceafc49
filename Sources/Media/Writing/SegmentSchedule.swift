// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The times at which segments begin. Each segment begins with the first frame at or after a
/// multiple of an interval.
///
/// The encoder makes this frame a keyframe, and the writer ends the previous segment before it.
struct SegmentSchedule {
    private let interval: MediaTime
    private var next: MediaTime

    init(interval: MediaTime) {
        self.interval = interval
        next = interval
    }

    /// Returns whether a frame begins another segment. The time is relative to the start of the
    /// session.
    mutating func begins(at time: MediaTime) -> Bool {
        guard time >= next else { return false }
        while next <= time { next = next + interval }
        return true
    }
}

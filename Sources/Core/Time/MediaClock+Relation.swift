// SPDX-License-Identifier: Apache-2.0

/// Relations between clocks, computed through host time.
extension MediaClock {
    /// Returns the time of `other` when this clock reads `time`.
    ///
    /// - Corresponds to: `CMSyncConvertTime`.
    public func convert(_ time: MediaTime, to other: any MediaClock) -> MediaTime {
        self === other ? time : other.time(atHostTime: hostTime(at: time))
    }

    /// Returns the rate of this clock relative to `other` over the next second, as both clocks
    /// predict it. The rate is 1 plus the drift between the clocks, with a precision of one
    /// nanosecond per second.
    ///
    /// - Corresponds to: `CMSyncGetRelativeRate`.
    public func rate(relativeTo other: any MediaClock) -> Double {
        if self === other { return 1 }
        let start = other.time
        let end = start + MediaTime(value: 1, timescale: 1)
        return (other.convert(end, to: self) - other.convert(start, to: self)).seconds
    }
}

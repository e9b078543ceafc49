// SPDX-License-Identifier: Apache-2.0

/// Clocks in relation to each other, with host time as the pivot.
extension MediaClock {
    /// What `other` reads when this clock reads `time`.
    ///
    /// - Corresponds to: `CMSyncConvertTime`.
    public func convert(_ time: MediaTime, to other: any MediaClock) -> MediaTime {
        self === other ? time : other.time(atHostTime: hostTime(at: time))
    }

    /// How fast this clock runs against `other`, as both expect to over the coming second: 1 plus
    /// their drift, to a nanosecond a second.
    ///
    /// - Corresponds to: `CMSyncGetRelativeRate`.
    public func rate(relativeTo other: any MediaClock) -> Double {
        if self === other { return 1 }
        let start = other.time
        let end = start + MediaTime(value: 1, timescale: 1)
        return (other.convert(end, to: self) - other.convert(start, to: self)).seconds
    }
}

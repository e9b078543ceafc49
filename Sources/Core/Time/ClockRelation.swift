// SPDX-License-Identifier: Apache-2.0

/// How one clock or timebase moves against another.
///
/// - Corresponds to: what `CMSyncGetRelativeRateAndAnchorTime` returns.
package struct ClockRelation: Sendable, Hashable {
    /// Seconds of the one for each second of the other.
    package var rate: Double
    /// What the one reads ...
    package var anchorTime: MediaTime
    /// ... when the other reads this.
    package var relativeAnchorTime: MediaTime

    package init(rate: Double, anchorTime: MediaTime, relativeAnchorTime: MediaTime) {
        self.rate = rate
        self.anchorTime = anchorTime
        self.relativeAnchorTime = relativeAnchorTime
    }

    /// What the one reads when the other reads `time`, as long as the rate stays.
    package func time(atRelativeTime time: MediaTime) -> MediaTime {
        anchorTime + (time - relativeAnchorTime) * rate
    }
}

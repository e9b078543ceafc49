// SPDX-License-Identifier: Apache-2.0

/// How one clock or timebase moves against another.
///
/// - Corresponds to: what `CMSyncGetRelativeRateAndAnchorTime` returns.
public struct ClockRelation: Sendable, Hashable {
    /// Seconds of the one for each second of the other.
    public var rate: Double
    /// What the one reads ...
    public var anchorTime: MediaTime
    /// ... when the other reads this.
    public var relativeAnchorTime: MediaTime

    public init(rate: Double, anchorTime: MediaTime, relativeAnchorTime: MediaTime) {
        self.rate = rate
        self.anchorTime = anchorTime
        self.relativeAnchorTime = relativeAnchorTime
    }

    /// What the one reads when the other reads `time`, as long as the rate stays.
    public func time(atRelativeTime time: MediaTime) -> MediaTime {
        anchorTime + (time - relativeAnchorTime) * rate
    }
}

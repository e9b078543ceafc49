// SPDX-License-Identifier: Apache-2.0

/// The motion of one clock or timebase relative to another.
///
/// - Corresponds to: the result of `CMSyncGetRelativeRateAndAnchorTime`.
package struct ClockRelation: Sendable, Hashable {
    /// The rate of the first clock, in seconds per second of the other clock.
    package var rate: Double
    /// The time of the first clock at the anchor.
    package var anchorTime: MediaTime
    /// The time of the other clock at the anchor.
    package var relativeAnchorTime: MediaTime

    package init(rate: Double, anchorTime: MediaTime, relativeAnchorTime: MediaTime) {
        self.rate = rate
        self.anchorTime = anchorTime
        self.relativeAnchorTime = relativeAnchorTime
    }

    /// Returns the time of the first clock when the other clock reads `time`, if the rate does not
    /// change.
    package func time(atRelativeTime time: MediaTime) -> MediaTime {
        anchorTime + (time - relativeAnchorTime) * rate
    }
}
